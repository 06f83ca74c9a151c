import { useState } from 'preact/hooks';
import type { ReportHeader } from '../service/api.ts';
import type { Fit } from './fit-columns.ts';

export interface TableColumn {
  readonly header: ReportHeader;
  /** In pixels. */
  readonly width: number;
  readonly isHidden: boolean;
}

/**
 * @param available the width of the table
 * @returns the columns, and a function that hides or shows one
 */
export function useColumns(headers: readonly ReportHeader[], fits: ReadonlyMap<string, Fit>, available: number) {
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  const shown = [...fits].filter(([name]) => !hidden.has(name));
  let room = shown.reduce((rest, [, { least }]) => rest - least, available);
  const widths = new Map(
    shown
      .toSorted(([, a], [, b]) => a.most - a.least - b.most + b.least)
      .map(([name, { least, most }]) => {
        room -= most - least;
        return [name, room < 0 ? least : most];
      }),
  );
  const columns = headers.map((header): TableColumn => {
    return { header, width: widths.get(header.name) ?? 0, isHidden: hidden.has(header.name) };
  });
  const toggle = (name: string) =>
    setHidden((old) => new Set(old.has(name) ? [...old].filter((other) => other !== name) : [...old, name]));
  return { columns, toggle };
}
