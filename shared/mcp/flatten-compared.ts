import { beforeColumn, changeColumns } from '../catalog/compared-values.ts';
import { fileColumns } from '../http/format/compared-columns.ts';
import type { Compare, Dimension, Metric, Report } from '../web/client/client.ts';

type Value = string | number | null | undefined;
type Values = Readonly<Record<string, Value>>;

/** @returns the report with the columns of CSV: with a compared period, `cost_before`, `cost_change` and `cost_relative_change` after `cost` */
export function flattenCompared(report: Report<Metric, Dimension, Compare | undefined>) {
  const metrics = report.headers.filter(({ role }) => role === 'metric').map(({ name }) => name);
  const flatten = (values: Values, before?: Values, change?: Values, relative?: Values): Values => {
    if (before === undefined) return values;
    const added = metrics.flatMap((name): [string, Value][] => {
      const [changed, changedRelatively] = changeColumns(name);
      return [
        [beforeColumn(name), before[name]],
        [changed, change?.[name]],
        [changedRelatively, relative?.[name]],
      ];
    });
    return { ...values, ...Object.fromEntries(added) };
  };
  const { totals, comparedTotals, changeTotals, relativeChangeTotals } = report;
  return {
    headers: fileColumns(report),
    data: report.data.map(({ compared, change, relativeChange, ...row }) =>
      flatten(row, compared, change, relativeChange),
    ),
    totals: flatten(totals, comparedTotals, changeTotals, relativeChangeTotals),
  };
}
