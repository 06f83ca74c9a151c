import { EXPERIENCES, type Experience } from '../../catalog/tables.ts';
import type { LoadTime } from '../../layout/segment-reads.ts';
import { asRecord, type Item, numberIn } from '../table/item.ts';
import { loadTimeKey } from '../table/item-keys.ts';
import type { Table } from '../table/table.ts';

/** @param changedDays the experiences of which the load has changed the days with rows of any advertiser */
export function loadTimeItem(n: number, { at, days }: LoadTime, changedDays: ReadonlySet<Experience>): Item {
  const changed = Object.fromEntries([...changedDays].sort().map((name) => [name, at]));
  return { ...loadTimeKey(n), at, days: { ...days, ...changed } };
}

/** @param n a committed load @returns its time; undefined if there is no such load */
export async function readLoadTime(table: Table, n: number): Promise<LoadTime | undefined> {
  if (n === 0) return undefined;
  const key = loadTimeKey(n);
  const item = (await table.get(key, { consistent: false })) ?? (await table.get(key, { consistent: true }));
  if (item === undefined) return undefined;
  const days = asRecord(item.days) ?? {};
  const known = EXPERIENCES.filter((name) => name in days).map((name) => [name, Number(days[name])]);
  return { at: numberIn(item, 'at'), days: Object.fromEntries(known) };
}
