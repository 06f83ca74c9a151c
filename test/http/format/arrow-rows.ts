import type { tableFromIPC } from '@uwdata/flechette';

/** @returns the rows of a table that was read with `useDate`, with dates as texts */
export function arrowRows(table: ReturnType<typeof tableFromIPC>): Readonly<Record<string, unknown>>[] {
  const textOf = (value: unknown) => (value instanceof Date ? value.toISOString().slice(0, 10) : value);
  return table
    .toArray()
    .map((row) => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, textOf(value)])));
}
