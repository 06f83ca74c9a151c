import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FOLDERS, SUBFOLDERS } from './import-rules.ts';
import { ROOT, readSource } from './source-files.ts';

type Rules = Readonly<Record<string, readonly string[]>>;

/** The page that has the graphs, and the lines that they stand between. */
export const GRAPHS_PAGE = 'shared/README.md';
const [BEGIN, END] = ['<!-- imports: made by test/rules/draw-imports.ts -->', '<!-- /imports -->'];

/** @returns the import rules as Markdown: one Mermaid graph of the folders of shared, and one for each folder that has subfolders */
export function drawImports(): string {
  const graphs = [['shared', FOLDERS] as const, ...Object.entries(SUBFOLDERS)].map(
    ([folder, rules]) => `**\`${folder}/\`**\n\n${drawGraph(folder, rules)}`,
  );
  return `${BEGIN}\n\n${graphs.join('\n\n')}\n\n${END}`;
}

/** @returns the text between the two lines of the page, these included */
export function findDrawnImports(page: string): string {
  return page.slice(page.indexOf(BEGIN), page.indexOf(END) + END.length);
}

function drawGraph(folder: string, rules: Rules): string {
  const names = [...new Set(Object.entries(rules).flatMap(([from, to]) => [from, ...to]))];
  const nodes = names.map((name) => `  ${idOf(name)}["${name === '.' ? `files of ${folder}` : name}"]`);
  const edges = Object.entries(rules).flatMap(([from, to]) => to.map((other) => `  ${idOf(from)} --> ${idOf(other)}`));
  return ['```mermaid', 'flowchart TD', ...nodes, ...edges, '```'].join('\n');
}

/** Mermaid's ids may have no dots, and some words are its own. */
function idOf(name: string): string {
  return `folder_${name.replaceAll(/\W/g, '_')}`;
}

if (import.meta.main) {
  const page = readSource(GRAPHS_PAGE);
  writeFileSync(join(ROOT, GRAPHS_PAGE), page.replace(findDrawnImports(page), drawImports()));
}
