import { beforeColumn, changeColumn, isNumeric } from '../../catalog/compared-values.ts';
import type { ReportResultResponse } from '../../contract/report/report-response.ts';
import { shapeRows } from '../../lib/shape-rows.ts';

type Header = ReportResultResponse['headers'][number];
type Row = ReportResultResponse['data'][number];
type Value = Row[string];

/** @returns the columns of a file: with a compared period, each metric is followed by its value there and, if it is numeric, the change */
export function fileColumns({ headers, meta }: Pick<ReportResultResponse, 'headers' | 'meta'>): readonly Header[] {
  if (meta.compared === undefined) return headers;
  return headers.flatMap((header) => {
    const { name, title, role, type } = header;
    if (role === 'dimension') return [header];
    const before = { ...header, name: beforeColumn(name), title: `${title}, before` };
    return [
      header,
      before,
      ...(isNumeric(type) ? [{ ...header, name: changeColumn(name), title: `${title}, change` }] : []),
    ];
  });
}

/** @returns the rows as JSON has them: with a compared period, its metrics are in `compared` */
export function jsonRows({ headers, data, meta }: ReportResultResponse): readonly object[] {
  if (meta.compared === undefined) return data;
  const names = headers.map(({ name }) => name);
  const metrics = headers.filter(({ role }) => role === 'metric').map(({ name }) => name);
  const before = metrics.map(beforeColumn);
  const [shape, shapeCompared] = [shapeRows<Value>(names), shapeRows<Value>(metrics)];
  const readValue = (row: Row, name: string | undefined) => row[name ?? ''] ?? null;
  return data.map((row) => ({
    ...shape((column) => readValue(row, names[column])),
    compared: shapeCompared((column) => readValue(row, before[column])),
  }));
}
