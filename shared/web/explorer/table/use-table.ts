import { type ColumnDef, createTable, getCoreRowModel, type Table, type TableState } from '@tanstack/table-core';
import { useEffect, useState } from 'preact/hooks';
import type { ReportHeader } from '../app/api.ts';
import type { ComparedRow } from '../question/compare-rows.ts';
import { MIN_WIDTH, widthOf } from './columns.ts';

export type ResultColumns = Table<ComparedRow>;

/** @returns TanStack's model of the columns: their widths, and which are hidden. It does not need the rows, which the service has sorted. */
export function useTable(headers: readonly ReportHeader[], isCompared: boolean): ResultColumns {
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
    columns: columnsOf(headers, isCompared),
    state: { ...table.initialState, ...state },
    onStateChange: (update) =>
      setState((old) => (typeof update === 'function' ? update({ ...table.initialState, ...old }) : update)),
  }));
  return table;
}

/** Columns by headers alone, because the headers of one report always come with the same `isCompared`. */
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
