import { type ColumnDef, createTable, getCoreRowModel, type Table, type TableState } from '@tanstack/table-core';
import { useEffect, useState } from 'preact/hooks';
import type { ReportHeader } from '../app/api.ts';
import type { ComparedRow } from '../question/compare-rows.ts';
import { MIN_WIDTH, widthOf } from './columns.ts';

export type ResultColumns = Table<ComparedRow>;

/** @returns TanStack's model of the columns: their widths, and which are hidden. The service has sorted the rows. */
export function useTable(
  headers: readonly ReportHeader[],
  rows: readonly ComparedRow[],
  isCompared: boolean,
): ResultColumns {
  const [state, setState] = useState<Partial<TableState>>({});
  const [table] = useState(() =>
    createTable<ComparedRow>({
      data: [],
      columns: [],
      state: {},
      onStateChange: () => {},
      renderFallbackValue: null,
      getCoreRowModel: getCoreRowModel(),
    }),
  );
  const names = headers.map(({ name }) => name).join();
  useEffect(() => setState({}), [names]);
  table.setOptions((last) => ({
    ...last,
    data: [...rows],
    columns: columnsOf(headers, isCompared),
    columnResizeMode: 'onChange',
    state: { ...table.initialState, ...state },
    onStateChange: (update) =>
      setState((old) => (typeof update === 'function' ? update({ ...table.initialState, ...old }) : update)),
  }));
  return table;
}

/** The headers are those of one report, which is compared or not. */
const cache = new WeakMap<readonly ReportHeader[], ColumnDef<ComparedRow>[]>();

function columnsOf(headers: readonly ReportHeader[], isCompared: boolean): ColumnDef<ComparedRow>[] {
  const columns =
    cache.get(headers) ??
    headers.map((header) => ({
      id: header.name,
      header: header.title,
      size: widthOf(header, isCompared),
      minSize: MIN_WIDTH,
      maxSize: 900,
    }));
  cache.set(headers, columns);
  return columns;
}
