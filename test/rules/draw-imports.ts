import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FOLDERS } from './import-rules.ts';
import { ROOT, readSource } from './source-files.ts';

/** The page that has the graph, and the lines that it stands between. */
export const GRAPH_PAGE = 'shared/README.md';
const [BEGIN, END] = ['<!-- imports: made by test/rules/draw-imports.ts -->', '<!-- /imports -->'];

/** @returns the import rules of the folders of shared as a Mermaid graph in Markdown */
export function drawImports(): string {
  const edges = Object.entries(FOLDERS).flatMap(([from, to]) =>
    to.length === 0 ? [] : `  ${from} --> ${to.join(' & ')}`,
  );
  return [BEGIN, '', '```mermaid', 'flowchart TD', ...edges, '```', '', END].join('\n');
}

/** @returns the text between the two lines of the page, these included */
export function findDrawnImports(page: string): string {
  return page.slice(page.indexOf(BEGIN), page.indexOf(END) + END.length);
}

if (import.meta.main) {
  const page = readSource(GRAPH_PAGE);
  writeFileSync(join(ROOT, GRAPH_PAGE), page.replace(findDrawnImports(page), drawImports()));
}
