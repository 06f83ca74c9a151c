import { useEffect, useState } from 'preact/hooks';
import type { ReportHeader } from '../app/api.ts';
import { MIN_WIDTH, widthOf } from './columns.ts';

export interface TableColumn {
  readonly header: ReportHeader;
  /** In pixels. */
  readonly width: number;
  readonly minWidth: number;
  readonly isHidden: boolean;
}

/** @returns the columns, at least of the fitting widths, and functions that resize, hide and show one */
export function useColumns(
  headers: readonly ReportHeader[],
  isCompared: boolean,
  fitting: ReadonlyMap<string, number>,
) {
  const [widths, setWidths] = useState<ReadonlyMap<string, number>>(new Map());
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  const names = headers.map(({ name }) => name).join();
  useEffect(() => {
    setWidths(new Map());
    setHidden(new Set());
  }, [names]);
  const columns = headers.map((header): TableColumn => {
    const least = fitting.get(header.name) ?? 0;
    const minWidth = Math.max(MIN_WIDTH, least);
    // on a phone, figures need the rest
    const usual = Math.max(Math.min(widthOf(header, isCompared), window.innerWidth * 0.4), least);
    const width = Math.max(minWidth, widths.get(header.name) ?? usual);
    return { header, width, minWidth, isHidden: hidden.has(header.name) };
  });
  const resize = (name: string, width: number) => setWidths((old) => new Map(old).set(name, width));
  const toggle = (name: string) =>
    setHidden((old) => new Set(old.has(name) ? [...old].filter((other) => other !== name) : [...old, name]));
  return { columns, resize, toggle };
}
