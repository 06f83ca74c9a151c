import type { FactTable } from '../../shared/catalog/tables.ts';
import type { IngestReport } from '../../shared/ingest/report-file.ts';
import { formatAmount } from '../../shared/lib/format-amount.ts';
import type { LoadReport, RowChanges } from '../../shared/load/check/load-report.ts';
import { countUnlisted, formatProblem } from '../../shared/load/schema/problems.ts';
import { writeLine } from './run-cli.ts';

/**
 * Prints a load's report: what was loaded to standard output, problems and warnings to standard error.
 * @param moreAdvice what to do if there are more problems than are listed, such as `correct these first`
 * @returns the exit code: 0 if the outcome is `loaded` or `unchanged`, else 1
 */
export function printReport(report: LoadReport | IngestReport, moreAdvice: string): number {
  const { outcome, problems, problemCount, warnings, listings, facts, changes } = report;
  for (const warning of warnings) writeLine(process.stderr, `warning: ${warning}`);
  if (outcome === 'rejected') {
    for (const problem of problems) writeLine(process.stderr, formatProblem(problem));
    const unlisted = countUnlisted(problems, problemCount);
    if (unlisted > 0) writeLine(process.stderr, `… and ${count(unlisted, 'more problem')}; ${moreAdvice}`);
    writeLine(process.stderr, `endcap: ${count(problemCount, 'problem')}, nothing was loaded`);
    return 1;
  }
  if (outcome === 'abandoned' || outcome === 'failed') {
    writeLine(process.stderr, `endcap: ${report.reason ?? outcome}`);
    return 1;
  }
  const listingLines = listings.map(
    ({ listing, rows, outcome: result, changes: ofRows }) =>
      `${listing}: ${count(rows, 'row')}, ${outcome === 'checked' && result === 'written' ? 'not written' : result}${describeRowChanges(ofRows)}`,
  );
  const factLines = facts.map(
    ({ experience, table, rows, days }) =>
      `facts/${experience}/${table}: ${count(rows, 'row')} on ${countDays(table, days)}`,
  );
  for (const line of [...listingLines, ...factLines, ...formatChanges(changes)]) writeLine(process.stdout, `  ${line}`);
  writeLine(process.stdout, RESULTS[outcome]);
  return 0;
}

const RESULTS = {
  loaded: 'loaded',
  unchanged: 'unchanged: everything had already been loaded',
  checked: 'checked: nothing was written',
} as const;

/** @returns the changes of facts as lines of a table; none if nothing changes */
function formatChanges(changes: LoadReport['changes']): string[] {
  if (changes.length === 0) return [];
  const between = (change?: { readonly before: number; readonly after: number }) =>
    change === undefined ? '' : `${formatAmount(change.before)} → ${formatAmount(change.after)}`;
  const cells = changes.map(({ experience, table, days, rows, impressions, cost }) => [
    `facts/${experience}/${table}`,
    ...[days.added, days.replaced, days.emptied].map(formatAmount),
    ...[rows, impressions, cost].map(between),
  ]);
  const lines = [['changed days', 'new', 'replaced', 'emptied', 'rows', 'impressions', 'cost'], ...cells];
  const widths = (lines[0] ?? []).map((_, at) => Math.max(...lines.map((line) => line[at]?.length ?? 0)));
  const pad = (cell: string, at: number) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0));
  return lines.map((line) => line.map(pad).join('  ').trimEnd());
}

/** @returns the changes in parentheses; empty if there are none */
function describeRowChanges(changes: RowChanges): string {
  if (changes.added + changes.replaced + changes.removed === 0) return '';
  const [added, replaced, removed] = [changes.added, changes.replaced, changes.removed].map(formatAmount);
  const columns = Object.entries(changes.columns).map(([column, rows]) => `${column} in ${count(rows, 'row')}`);
  return ` (${added} added, ${replaced} replaced, ${removed} removed${columns.length === 0 ? '' : `; changed: ${columns.join(', ')}`})`;
}

/** Days of a market table belong to no advertiser. */
function countDays(table: FactTable, days: number): string {
  return count(days, table === 'market' ? 'market day' : 'advertiser day');
}

function count(number: number, noun: string): string {
  return `${number.toLocaleString('en-US')} ${noun}${number === 1 ? '' : 's'}`;
}
