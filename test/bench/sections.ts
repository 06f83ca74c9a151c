import type { BenchRow } from './bench-row.ts';

const HEADINGS = ['What', 'Endcap', 'Peer', 'Ratio', 'Target'] as const;

/** @returns what a bench measures, under which conditions, and the table of its rows, as Markdown */
export function renderSection(about: string, conditions: string, rows: readonly BenchRow[]): string {
  return `${about} ${conditions}\n\n${renderRows(rows)}`;
}

/** @returns the rows without notes and without the figures in parentheses */
export function summarizeRows(rows: readonly BenchRow[]): BenchRow[] {
  const shorten = (figure: string) => figure.replaceAll(/ \([^)]*\)(?=;|$)/g, '');
  return rows.map(({ note: _, ...row }) => ({ ...row, endcap: shorten(row.endcap), peer: shorten(row.peer) }));
}

/**
 * @param page a Markdown page with the comments `<!-- bench NAME -->` and `<!-- /bench NAME -->`
 * @returns the page with the section between the two comments of `name`
 * @throws Error if the page has no such comments
 */
export function replaceSection(page: string, name: string, section: string): string {
  const found = sectionIn(page, name);
  if (found === undefined) throw new Error(`the page has no section ${describeSection(name)}`);
  const [from, to] = found;
  return `${page.slice(0, from)}\n${section}\n${page.slice(to)}`;
}

/** @throws Error that names the sections that the page lacks */
export function checkSections(page: string, names: readonly string[]): void {
  const missing = names.filter((name) => sectionIn(page, name) === undefined);
  if (missing.length > 0) throw new Error(`the page has no section ${missing.map(describeSection).join(', ')}`);
}

/** @returns where the section's first comment ends, and where its last one begins */
function sectionIn(page: string, name: string): readonly [from: number, to: number] | undefined {
  const begin = `<!-- bench ${name} -->\n`;
  const [from, to] = [page.indexOf(begin), page.indexOf(`<!-- /bench ${name} -->\n`)];
  return from < 0 || to < from ? undefined : [from + begin.length, to];
}

function describeSection(name: string): string {
  return `<!-- bench ${name} --> … <!-- /bench ${name} -->`;
}

/** @returns a Markdown table with aligned columns, followed by the rows' notes as a numbered list */
function renderRows(rows: readonly BenchRow[]): string {
  const notes: string[] = [];
  const cells = rows.map(({ what, endcap, peer, ratio, target, note }) => {
    const reference = note === undefined ? '' : ` [${notes.push(note)}]`;
    return [`${what}${reference}`, endcap, peer, renderRatio(ratio), target];
  });
  const widths = HEADINGS.map((heading, i) => Math.max(heading.length, ...cells.map((row) => row[i]?.length ?? 0)));
  const line = (row: readonly string[]) => `| ${row.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join(' | ')} |\n`;
  const rule = `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|\n`;
  const list = notes.map((note, i) => `${i + 1}. ${note}\n`);
  return [line(HEADINGS), rule, ...cells.map(line), ...(list.length === 0 ? [] : ['\n', ...list])].join('');
}

/** Ratios below 0.1 are written as fractions. */
function renderRatio(ratio: number): string {
  return ratio < 0.1 ? `1/${Math.round(1 / ratio)}` : ratio.toPrecision(3);
}
