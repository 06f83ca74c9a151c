import type { RunEntry } from '../../shared/layout/partitions.ts';

/** @returns the entry of a run of one day whose columns are items of their own */
export function dayRun(day: number, rows: number, columns: RunEntry['columns']): RunEntry {
  return { day, version: 1, rows, days: [{ day, rows, hours: 24 }], columns };
}
