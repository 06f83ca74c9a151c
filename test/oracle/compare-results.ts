import { daysOfRanges } from '../../shared/layout/day-ranges.ts';
import { dayNumber, formatDay } from '../../shared/lib/calendar.ts';
import type { ReportResult, ReportValue } from '../../shared/report/query/query.ts';
import type { OracleResult } from './sql/duckdb.ts';

type Row = Readonly<Record<string, ReportValue>>;

/** @returns a line per difference; empty where rows, their order, count, totals and completeness are equal to the last bit */
export function differences(actual: ReportResult, expected: OracleResult): string[] {
  const found: string[] = [];
  const same = (name: string, left: ReportValue | undefined, right: ReportValue | undefined, where: string) => {
    if (left !== right) found.push(`${where}.${name}: engine ${left}, SQL ${right}`);
  };
  same('totalCount', actual.totalCount, expected.totalCount, 'report');
  same('dataCompleteThrough', actual.meta.dataCompleteThrough, expected.dataCompleteThrough, 'meta');
  const { data, compared } = actual.meta;
  const { from, through, missingDays, missingDayCount, gaps, gapDayCount } = data;
  same('from', from, expected.from, 'meta.data');
  same('through', through, expected.through, 'meta.data');
  same('missingDays', missingDays.join(), expected.missingDays.slice(0, 31).join(), 'meta.data');
  same('missingDayCount', missingDayCount, expected.missingDays.length, 'meta.data');
  same('gaps', daysOf(gaps).join(), expected.gapDays.join(), 'meta.data');
  same('tables', tablesOf(data), expected.tables, 'meta.data');
  same('gapDayCount', gapDayCount, expected.gapDays.length, 'meta.data');
  if (actual.data.length !== expected.data.length) {
    found.push(`rows on the page: engine ${actual.data.length}, SQL ${expected.data.length}`);
  }
  const compareRow = (left: Row, right: Row, where: string) => {
    for (const name of new Set([...Object.keys(left), ...Object.keys(right)]))
      same(name, left[name], right[name], where);
  };
  compareRow(actual.totals, expected.totals, 'totals');
  compareRow(actual.comparedTotals ?? {}, expected.comparedTotals ?? {}, 'comparedTotals');
  for (const [name, change] of Object.entries(actual.changeTotals ?? {})) {
    const [now, before] = [expected.totals[name], expected.comparedTotals?.[name]];
    const difference = typeof now === 'number' && typeof before === 'number' ? now - before : null;
    if (!isClose(change, difference, Math.max(Math.abs(Number(now)), Math.abs(Number(before)))))
      same(name, change, difference, 'changeTotals');
  }
  const missingBefore = expected.comparedMissingDays?.length;
  same('missingDayCount', compared?.data.missingDayCount, missingBefore, 'meta.compared.data');
  same('tables', compared && tablesOf(compared.data), expected.comparedTables, 'meta.compared.data');
  const gapsBefore = compared && daysOf(compared.data.gaps).join();
  same('gaps', gapsBefore, expected.comparedGapDays?.join(), 'meta.compared.data');
  for (const [at, row] of actual.data.entries()) {
    const other = expected.data[at];
    if (other !== undefined) compareRow(row, other, `data[${at}]`);
  }
  return found;
}

const tablesOf = ({ tables }: ReportResult['meta']['data']): string =>
  tables
    .map(({ table, through, missingDays, missingDayCount }) =>
      [table, through, missingDayCount, missingDays.join()].join(' '),
    )
    .join(';');

const daysOf = (gaps: ReportResult['meta']['data']['gaps']): string[] =>
  gaps.flatMap(({ from, through }) => daysOfRanges([[dayNumber(from), dayNumber(through)]]).map(formatDay));

/** The engine divides the exact difference once; here, doubles of `size` are subtracted. */
function isClose(left: ReportValue, right: ReportValue, size: number): boolean {
  return left === right || Math.abs(Number(left ?? Number.NaN) - Number(right ?? Number.NaN)) <= size * 1e-15 * 4;
}
