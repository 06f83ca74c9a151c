import { type ColumnDef, createTable, getCoreRowModel, type Table, type TableState } from '@tanstack/table-core';
import { useEffect, useState } from 'preact/hooks';
import type { ReportHeader } from '../app/api.ts';
import type { ComparedRow } from '../question/compare-rows.ts';
import { MIN_WIDTH, widthOf } from './columns.ts';

export type ResultColumns = Table<ComparedRow>;

/** @param fitting the least widths by name, which must be the same object while nothing changes @returns TanStack's model of the columns: their widths, and which are hidden. It does not need the rows, which the service has sorted. */
export function useTable(
  headers: readonly ReportHeader[],
  isCompared: boolean,
  fitting: ReadonlyMap<string, number>,
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
    columns: columnsOf(headers, isCompared, fitting),
    state: { ...table.initialState, ...state },
    onStateChange: (update) =>
      setState((old) => (typeof update === 'function' ? update({ ...table.initialState, ...old }) : update)),
  }));
  return table;
}

/** Columns by widths alone, because those of one report always come with the same headers and `isCompared`. */
const cache = new WeakMap<ReadonlyMap<string, number>, ColumnDef<ComparedRow>[]>();

function columnsOf(
  headers: readonly ReportHeader[],
  isCompared: boolean,
  fitting: ReadonlyMap<string, number>,
): ColumnDef<ComparedRow>[] {
  const columns =
    cache.get(fitting) ??
    headers.map((header) => {
      const least = fitting.get(header.name) ?? 0;
      return {
        id: header.name,
        header: header.title,
        size: Math.max(Math.min(widthOf(header, isCompared), window.innerWidth * 0.4), least), // on a phone, figures need the rest
        minSize: Math.max(MIN_WIDTH, least),
        maxSize: 900,
      };
    });
  cache.set(fitting, columns);
  return columns;
}
