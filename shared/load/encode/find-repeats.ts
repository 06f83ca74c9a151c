import { isDerived, type Measure } from '../../catalog/tables.ts';
import { combineColumns, findEqualRows, sortRows } from '../../columns/sort-rows.ts';
import { storedColumns } from '../schema/fact-columns.ts';
import { readBlocks } from './blocks.ts';
import type { DayBlocks } from './encode-day.ts';

/** The rows of a file whose keys rows of another file have. Of several others, only one is named. */
export interface Repeats {
  readonly file: number;
  readonly other: number;
  rows: number;
  /** The hours of these rows. */
  readonly hours: Set<number>;
  /** Of the file's rows, in units of the columns' scales. */
  readonly sums: Map<Measure, number>;
}

/** The rows of a day, with the files that they are from: `runs` of consecutive rows of one file, which is a number. */
export interface DayOfFiles extends Omit<DayBlocks, 'stored' | 'unmeasured'> {
  readonly runs: readonly { readonly file: number; readonly rows: number }[];
}

/** @returns the rows of different files with equal keys */
export function findRepeats({ table, rows, blocks, runs }: DayOfFiles): Repeats[] {
  const { keys, measures } = readBlocks(storedColumns(table), rows, blocks);
  const hours = keys.get('hour');
  const given = [...measures].filter(([name]) => !isDerived(name));
  const files = Uint32Array.from(runs.flatMap((run) => new Array<number>(run.rows).fill(run.file)));
  const columns = combineColumns([...keys.values()], rows);
  const order = sortRows(columns, rows);
  const groups = findEqualRows(columns, order);
  const found = new Map<string, Repeats>();
  for (let group = 0; group < groups.length - 1; group++) {
    const members = order.subarray(groups[group], groups[group + 1]);
    if (members.length === 1) continue;
    const first = files[members[0] ?? 0] ?? 0;
    const second = members.find((row) => files[row] !== first);
    if (second === undefined) continue;
    for (const row of members) {
      const file = files[row] ?? 0;
      const other = file === first ? (files[second] ?? 0) : first;
      const repeats = found.get(`${file}/${other}`) ?? { file, other, rows: 0, hours: new Set(), sums: new Map() };
      found.set(`${file}/${other}`, repeats);
      repeats.rows++;
      repeats.hours.add(Number(hours?.dictionary[hours.codes[row] ?? 0] ?? -1));
      for (const [name, values] of given) repeats.sums.set(name, (repeats.sums.get(name) ?? 0) + (values[row] ?? 0));
    }
  }
  return [...found.values()];
}
