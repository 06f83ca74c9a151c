import { PAGES } from '../../rules/pages.ts';
import { readSource } from '../../rules/source-files.ts';

/** The words after `aws`. */
type Words = readonly string[];

/** @returns the commands `aws …` in the code blocks and the inline code of all Markdown pages, each with its page */
export function awsCommands(): (readonly [string, Words])[] {
  return PAGES.flatMap((page) => commandsIn(readSource(page)).map((words) => [page, words] as const));
}

/** @returns the commands in the code of a Markdown text, first those of the blocks; services, and names that `…` shortens, are left out */
export function commandsIn(markdown: string): Words[] {
  const fence = /^ *```\w*\n(.*?)^ *```$/gms;
  const blocks = [...markdown.matchAll(fence)].map(([, text = '']) => text.replaceAll('\\\n', ' '));
  const inline = markdown.replace(fence, '').match(/`[^`]+`/g) ?? [];
  const lines = [...blocks.join('\n').split('\n'), ...inline.map((code) => code.slice(1, -1).replaceAll('\n', ' '))];
  return lines.flatMap(commandsOf).filter(([, operation = '…']) => !operation.endsWith('…'));
}

/** @returns the commands in a line of code; arithmetic becomes 0 */
function commandsOf(line: string): Words[] {
  const text = line.replace(/\$\(\((?:[^()]|\([^()]*\))*\)\)/g, '0');
  return text
    .split(/(?<![\w./-])aws (?=[a-z])/)
    .slice(1)
    .map(wordsOf);
}

/** @returns the words of a shell command, up to its end or a comment */
function wordsOf(text: string): Words {
  const [command = ''] = /^(?:'[^']*'|"[^"]*"|[^;&|)#'"])*/.exec(text) ?? [];
  const words = command.match(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g) ?? [];
  return words.map((word) => word.replace(/'([^']*)'|"([^"]*)"/g, '$1$2'));
}
