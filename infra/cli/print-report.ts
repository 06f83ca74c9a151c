import type { FactTable } from '../../shared/catalog/tables.ts';
import type { IngestReport } from '../../shared/ingest/report-file.ts';
import type { LoadReport } from '../../shared/load/check/load-report.ts';
import { countUnlisted, formatProblem, type Problem } from '../../shared/load/schema/problems.ts';
import { writeLine } from './run-cli.ts';

/**
 * Prints a load's report: what was loaded to standard output, problems and warnings to standard error.
 * @param moreAdvice what to do if there are more problems than are listed, such as `correct these first`
 * @returns the exit code: 0 if the outcome is `loaded` or `unchanged`, else 1
 */
export function printReport(report: LoadReport | IngestReport, moreAdvice: string): number {
  const { outcome, problems, problemCount, warnings, listings, facts, emptied } = report;
  for (const warning of warnings) writeLine(process.stderr, `warning: ${warning}`);
  if (outcome === 'rejected') {
    for (const problem of problems) writeLine(process.stderr, formatProblem(problem));
    for (const line of summarizeMissing(problems)) writeLine(process.stderr, line);
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
    ({ listing, rows, outcome: result, patch }) =>
      `${listing}: ${count(rows, 'row')}, ${result}${describePatch(patch)}`,
  );
  const factLines = facts.map(
    ({ experience, table, rows, days }) =>
      `facts/${experience}/${table}: ${count(rows, 'row')} on ${countDays(table, days)}`,
  );
  const emptiedLines = emptied.map(
    ({ experience, table, days }) => `facts/${experience}/${table}: ${countDays(table, days)} emptied`,
  );
  for (const line of [...listingLines, ...factLines, ...emptiedLines]) writeLine(process.stdout, `  ${line}`);
  writeLine(process.stdout, outcome === 'unchanged' ? 'unchanged: everything had already been loaded' : 'loaded');
  return 0;
}

/**
 * The ids are read from reasons such as `12 is not among the advertisers`.
 * @returns a line with advice for each missing id that several rows refer to
 */
function summarizeMissing(problems: readonly Problem[]): string[] {
  const missing = problems.flatMap(({ field, reason, repeats = 0 }) => {
    const [, id, listing] = /^(\S+) is not among the (\w+)$/.exec(reason) ?? [];
    return id === undefined || listing === undefined ? [] : [{ field, id, listing, rows: 1 + repeats }];
  });
  const groups = Map.groupBy(missing, ({ field, id, listing }) => `${field} ${id} ${listing}`);
  return [...groups.values()].flatMap((group) => {
    const rows = group.reduce((sum, one) => sum + one.rows, 0);
    const [first] = group;
    if (first === undefined || rows === 1) return [];
    const { field, id, listing } = first;
    return [`${count(rows, 'row')} refer to ${field} ${id}, which is missing: add it to ${listing}, or load it first`];
  });
}

/** @returns the changes of the patch in parentheses; empty if there is no patch, or if it changed no row */
function describePatch(patch: LoadReport['listings'][number]['patch']): string {
  if (patch === undefined || patch.added + patch.replaced + patch.removed === 0) return '';
  const [added, replaced, removed] = [patch.added, patch.replaced, patch.removed].map((n) => n.toLocaleString('en-US'));
  return ` (${added} added, ${replaced} replaced, ${removed} removed)`;
}

/** Days of a market table belong to no advertiser. */
function countDays(table: FactTable, days: number): string {
  return count(days, table === 'market' ? 'market day' : 'advertiser day');
}

function count(number: number, noun: string): string {
  return `${number.toLocaleString('en-US')} ${noun}${number === 1 ? '' : 's'}`;
}
