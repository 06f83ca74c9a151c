import { beforeColumn, changeColumns, isNumeric } from '../../catalog/compared-values.ts';
import type { ReportResultResponse } from '../../contract/report/report-response.ts';
import { shapeRows } from '../../lib/shape-rows.ts';

type Header = ReportResultResponse['headers'][number];
type Row = ReportResultResponse['data'][number];
type Value = Row[string];

/** Of relative changes, whatever the type of the metric is. */
const RELATIVE = { type: 'decimal', unit: 'fraction' } as const;

/** @returns the columns of a file: with a compared period, each metric is followed by its value there and, if it is numeric, both changes */
export function fileColumns({ headers, meta }: Pick<ReportResultResponse, 'headers' | 'meta'>): readonly Header[] {
  if (meta.compared === undefined) return headers;
  return headers.flatMap((header) => {
    const { name, title, role, type } = header;
    if (role === 'dimension') return [header];
    const before = { ...header, name: beforeColumn(name), title: `${title}, before` };
    if (!isNumeric(type)) return [header, before];
    const [change, relative] = changeColumns(name);
    return [
      header,
      before,
      { ...header, name: change, title: `${title}, change` },
      { ...header, ...RELATIVE, name: relative, title: `${title}, relative change` },
    ];
  });
}

/** @returns the rows as JSON has them: with a compared period, its metrics are in `compared`, and changes in `change` and `relativeChange` */
export function jsonRows({ headers, data, meta }: ReportResultResponse): readonly object[] {
  if (meta.compared === undefined) return data;
  const names = headers.map(({ name }) => name);
  const metrics = headers.filter(({ role }) => role === 'metric');
  const metricNames = metrics.map(({ name }) => name);
  const numeric = metrics.filter(({ type }) => isNumeric(type)).map(({ name }) => name);
  const reader = (shown: readonly string[], columns: readonly string[]) => {
    const shape = shapeRows<Value>(shown);
    return (row: Row) => shape((column) => row[columns[column] ?? ''] ?? null);
  };
  const values = reader(names, names);
  const compared = reader(metricNames, metricNames.map(beforeColumn));
  const change = reader(
    numeric,
    numeric.map((name) => changeColumns(name)[0]),
  );
  const relativeChange = reader(
    numeric,
    numeric.map((name) => changeColumns(name)[1]),
  );
  return data.map((row) => ({
    ...values(row),
    compared: compared(row),
    change: change(row),
    relativeChange: relativeChange(row),
  }));
}
