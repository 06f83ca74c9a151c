import { globSync } from 'node:fs';
import { ROOT, readSource } from './source-files.ts';

/** All Markdown pages of the project, from the root. */
export const PAGES: readonly string[] = globSync(['*.md', '{.github,functions,infra,shared,test}/**/*.md'], {
  cwd: ROOT,
}).sort();

/** A fenced block of a page. */
export interface CodeBlock {
  readonly language: string;
  readonly text: string;
}

/** @returns the fenced blocks of a page, in its order */
export function codeBlocksOf(page: string): CodeBlock[] {
  return [...readSource(page).matchAll(/^```(\w*)\n(.*?)^```$/gms)].map(([, language = '', text = '']) => ({
    language,
    text,
  }));
}

/** @returns the page without its fenced blocks */
function proseOf(page: string): string {
  return readSource(page).replace(/^```.*?^```$/gms, '');
}

/** @returns the targets of the page's relative links, possibly with an anchor */
export function linksOf(page: string): string[] {
  const targets = [...proseOf(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
  return targets.filter((target) => !/^[a-z]+:/.test(target));
}

/** @returns the files and folders that the page names as code, from the root; patterns and placeholders are left out */
export function pathsOf(page: string): string[] {
  return [...proseOf(page).matchAll(/`([^`\n]+)`/g)]
    .map(([, code = '']) => code)
    .filter((code) => /^(functions|infra|shared|test|\.ci|\.github)\/[\w./-]*$/.test(code));
}

/** @returns the anchors that GitHub gives to the headings of a page */
export function anchorsOf(page: string): string[] {
  return [...proseOf(page).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );
}
