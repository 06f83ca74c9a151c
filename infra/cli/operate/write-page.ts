import type { Result } from './steps.ts';

/** Rows of cells; the first row is the head. */
export type PageTable = readonly (readonly string[])[];

export interface Page {
  readonly title: string;
  readonly facts: readonly string[];
  readonly results: readonly Result[];
  readonly tables: ReadonlyMap<string, PageTable>;
}

/** @returns the page in Markdown: first the steps that were not as expected */
export function formatPage({ title, facts, results, tables }: Page): string {
  const sections = [`# ${title}`, facts.map((fact) => `- ${fact}`).join('\n')];
  for (const outcome of ['not as expected', 'not shown', 'as expected']) {
    const found = results.filter((result) => result.outcome === outcome);
    const rows = found.map(({ name, expected, seen, seconds }) => [name, expected, seen, String(seconds)]);
    sections.push(`## ${found.length} ${outcome}`);
    if (rows.length > 0) sections.push(formatTable([['Step', 'Expected', 'Seen', 'Seconds'], ...rows]));
  }
  for (const [heading, rows] of tables) sections.push(`## ${heading}`, formatTable(rows));
  return `${sections.join('\n\n')}\n`;
}

function formatTable([head = [], ...rows]: PageTable): string {
  return [head, head.map(() => '---'), ...rows].map((row) => `| ${row.map(escapeCell).join(' | ')} |`).join('\n');
}

function escapeCell(text: string): string {
  return text.replaceAll(/\s+/g, ' ').replaceAll('|', '\\|').replaceAll('<', '&lt;');
}
