import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FOLDERS, ROOMS } from './room-rules.ts';
import { ROOT, readSource } from './source-files.ts';

type Rules = Readonly<Record<string, readonly string[]>>;

/** The page that has the graphs, and the lines that they stand between. */
export const ROOMS_PAGE = 'shared/README.md';
const [BEGIN, END] = ['<!-- rooms: made by test/rules/draw-rooms.ts -->', '<!-- /rooms -->'];

/** @returns the import rules as Markdown: one Mermaid graph of the folders of shared, and one for each folder that has rooms */
export function drawRooms(): string {
  const graphs = [['shared', FOLDERS] as const, ...Object.entries(ROOMS)].map(
    ([folder, rules]) => `**\`${folder}/\`**\n\n${drawGraph(folder, rules)}`,
  );
  return `${BEGIN}\n\n${graphs.join('\n\n')}\n\n${END}`;
}

/** @returns the text between the two lines of the page, these included */
export function findDrawnRooms(page: string): string {
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
  return `room_${name.replaceAll(/\W/g, '_')}`;
}

if (import.meta.main) {
  const page = readSource(ROOMS_PAGE);
  writeFileSync(join(ROOT, ROOMS_PAGE), page.replace(findDrawnRooms(page), drawRooms()));
}
