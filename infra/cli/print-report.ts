import type { FactTable } from '../../shared/catalog/tables.ts';
import type { IngestReport } from '../../shared/ingest/report-file.ts';
import type { LoadReport } from '../../shared/load/load-report.ts';
import { formatProblem } from '../../shared/load/schema/problems.ts';

/**
 * Prints a load's report: what was loaded to standard output, problems and warnings to standard error.
 * @param more advice if not all problems are shown; the end of a sentence
 * @returns the exit code: 0 if the folder is loaded, else 1
 */
export function printReport(report: LoadReport | IngestReport, more: string): number {
  const { outcome, problems, problemCount, warnings, listings, facts, emptied } = report;
  for (const warning of warnings) process.stderr.write(`warning: ${warning}\n`);
  if (outcome === 'rejected') {
    for (const problem of problems) process.stderr.write(`${formatProblem(problem)}\n`);
    const hidden = problemCount - problems.length;
    if (hidden > 0) process.stderr.write(`… and ${count(hidden, 'more problem')}; ${more}\n`);
    process.stderr.write(`endcap: ${count(problemCount, 'problem')}, nothing was loaded\n`);
    return 1;
  }
  if (outcome === 'abandoned' || outcome === 'failed') {
    process.stderr.write(`endcap: ${report.reason ?? outcome}\n`);
    return 1;
  }
  const listingLines = listings.map(
    (written) => `${written.listing}: ${count(written.rows, 'row')}, ${written.outcome}`,
  );
  const factLines = facts.map(
    ({ experience, table, rows, days }) =>
      `facts/${experience}/${table}: ${count(rows, 'row')} on ${countDays(table, days)}`,
  );
  const emptiedLines = emptied.map(
    ({ experience, table, days }) => `facts/${experience}/${table}: ${countDays(table, days)} emptied`,
  );
  for (const line of [...listingLines, ...factLines, ...emptiedLines]) process.stdout.write(`  ${line}\n`);
  process.stdout.write(outcome === 'unchanged' ? 'unchanged: everything had already been loaded\n' : 'loaded\n');
  return 0;
}

/** Days of a market table belong to no advertiser. */
function countDays(table: FactTable, days: number): string {
  return count(days, table === 'market' ? 'market day' : 'advertiser day');
}

function count(number: number, noun: string): string {
  return `${number.toLocaleString('en-US')} ${noun}${number === 1 ? '' : 's'}`;
}
