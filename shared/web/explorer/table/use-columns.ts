import { useEffect, useState } from 'preact/hooks';
import type { ReportHeader } from '../service/api.ts';
import { widthOf } from './columns.ts';

export interface TableColumn {
  readonly header: ReportHeader;
  /** In pixels. */
  readonly width: number;
  readonly isHidden: boolean;
}

/** @returns the columns, at least of the fitting widths, and a function that hides or shows one */
export function useColumns(
  headers: readonly ReportHeader[],
  isCompared: boolean,
  fitting: ReadonlyMap<string, number>,
) {
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  const names = headers.map(({ name }) => name).join();
  useEffect(() => setHidden(new Set()), [names]);
  const columns = headers.map((header): TableColumn => {
    const least = fitting.get(header.name) ?? 0;
    // on a phone, figures need the rest
    const width = Math.max(Math.min(widthOf(header, isCompared), window.innerWidth * 0.4), least);
    return { header, width, isHidden: hidden.has(header.name) };
  });
  const toggle = (name: string) =>
    setHidden((old) => new Set(old.has(name) ? [...old].filter((other) => other !== name) : [...old, name]));
  return { columns, toggle };
}
