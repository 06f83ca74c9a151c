import { beforeColumn, changeColumn } from '../../../shared/catalog/compared-values.ts';
import { fileColumns } from '../../../shared/http/format/compared-columns.ts';
import type { Compare, Dimension, Metric, Report, ReportHeader } from '../../../shared/web/client/client.ts';

type Value = string | number | null | undefined;
type Values = Readonly<Record<string, Value>>;

/** @returns the report with the columns of CSV: with a compared period, `cost_before` and `cost_change` after `cost` */
export function flattenCompared(report: Report<Metric, Dimension, Compare | undefined>) {
  const metrics = report.headers.filter(({ role }) => role === 'metric');
  const flatten = (values: Values, before: Values | undefined): Values => {
    if (before === undefined) return values;
    const added = metrics.flatMap((header): [string, Value][] => [
      [beforeColumn(header.name), before[header.name]],
      [changeColumn(header.name), changeOf(values[header.name], before[header.name], header)],
    ]);
    return { ...values, ...Object.fromEntries(added) };
  };
  return {
    headers: fileColumns(report),
    data: report.data.map(({ compared, ...row }) => flatten(row, compared)),
    totals: flatten(report.totals, report.comparedTotals),
  };
}

/** @returns null unless both are numbers; an amount of money has its 6 decimals, without what doubles add */
function changeOf(value: Value, before: Value, { unit }: ReportHeader): number | null {
  if (typeof value !== 'number' || typeof before !== 'number') return null;
  const change = value - before;
  return /^[A-Z]{3}$/.test(unit ?? '') ? Number(change.toFixed(6)) : change;
}
