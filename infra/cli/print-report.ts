import type { IngestReport } from '../../shared/ingest/report-file.ts';
import type { LoadReport } from '../../shared/load/load-report.ts';
import { formatProblem } from '../../shared/load/schema/problems.ts';

/**
 * Tells what a load did: what was loaded on the standard output, what is wrong on the standard error.
 * @param more how further problems can be seen, where there are some; the end of a sentence
 * @returns the exit code: 0 when the folder is loaded
 */
export function printReport(report: LoadReport | IngestReport, more: string): number {
  const { outcome, problems, problemCount, warnings, listings, facts, emptied } = report;
  for (const warning of warnings) process.stderr.write(`warning: ${warning}\n`);
  if (outcome === 'rejected') {
    for (const problem of problems) process.stderr.write(`${formatProblem(problem)}\n`);
    const untold = problemCount - problems.length;
    if (untold > 0) process.stderr.write(`… and ${count(untold, 'more problem')}; ${more}\n`);
    process.stderr.write(`endcap: ${count(problemCount, 'problem')}, nothing was loaded\n`);
    return 1;
  }
  if (outcome === 'abandoned' || outcome === 'failed') {
    process.stderr.write(`endcap: ${report.reason ?? outcome}\n`);
    return 1;
  }
  const written = listings.map((it) => `${it.listing}: ${count(it.rows, 'row')}, ${it.outcome}`);
  const replaced = facts.map(
    (it) => `facts/${it.experience}/${it.table}: ${count(it.rows, 'row')} on ${count(it.days, 'day')} of advertisers`,
  );
  const deleted = emptied.map(
    (it) => `facts/${it.experience}/${it.table}: ${count(it.days, 'day')} of advertisers emptied`,
  );
  for (const line of [...written, ...replaced, ...deleted]) process.stdout.write(`  ${line}\n`);
  process.stdout.write(outcome === 'unchanged' ? 'unchanged: all of it had been loaded before\n' : 'loaded\n');
  return 0;
}

function count(number: number, what: string): string {
  return `${number.toLocaleString('en-US')} ${what}${number === 1 ? '' : 's'}`;
}
