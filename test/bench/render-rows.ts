import type { BenchRow } from './bench-row.ts';

const HEADINGS = ['What', 'Ours', 'Peer', 'Ratio', 'Reach'] as const;

/** @returns the rows as a Markdown table whose columns are aligned, and below it the notes, numbered as the rows refer to them. */
export function renderRows(rows: readonly BenchRow[]): string {
  const notes: string[] = [];
  const cells = rows.map(({ what, ours, peer, ratio, reach, note }) => {
    const mark = note === undefined ? '' : ` [${notes.push(note)}]`;
    return [`${what}${mark}`, ours, peer, renderRatio(ratio), reach];
  });
  const widths = HEADINGS.map((heading, i) => Math.max(heading.length, ...cells.map((row) => row[i]?.length ?? 0)));
  const line = (row: readonly string[]) => `| ${row.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join(' | ')} |\n`;
  const rule = `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|\n`;
  const list = notes.map((note, i) => `${i + 1}. ${note}\n`);
  return [line(HEADINGS), rule, ...cells.map(line), ...(list.length === 0 ? [] : ['\n', ...list])].join('');
}

/** Small ratios as fractions, as they are asked for. */
function renderRatio(ratio: number): string {
  return ratio < 0.1 ? `1/${Math.round(1 / ratio)}` : ratio.toPrecision(3);
}
