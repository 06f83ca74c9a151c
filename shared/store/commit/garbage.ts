import { DAY_MS } from '../../lib/calendar.ts';
import type { Clock } from '../../lib/clock.ts';
import { numberIn } from '../table/item.ts';
import { commitOfSortKey, garbagePk, garbageStampKey, isHead, type Retention } from '../table/item-keys.ts';
import type { Table } from '../table/table.ts';
import type { StoredState } from './commit-state.ts';
import { unpackKeys } from './journal.ts';

/**
 * Milliseconds after a commit for which the items that it superseded are retained. `readers`: a reader starts with a commit that is at most a second
 * old, and has less than 29 seconds. `views`: a view is valid for 30 days, and the time when it was last advanced is exact to a day.
 */
const RETENTION_MS: Readonly<Record<Retention, number>> = { readers: 60_000, views: 31 * DAY_MS };

/** Each part has at most 350 KB, so a read takes at most 7 MB. */
const PARTS_PER_READ = 20;

/** Stores the time of commit `n`, from which its retention is counted. */
export async function stampGarbage(table: Table, retention: Retention, n: number, clock: Clock): Promise<void> {
  await table.put({ ...garbageStampKey(retention, n), at: clock() }, { text: 'attribute_not_exists(#pk)' });
}

/**
 * Deletes the superseded items whose retention is over, and then the record of their keys, so that an interrupted deletion can be repeated.
 * @returns the commit up to which superseded items are deleted; unchanged if none were due
 */
export async function collectGarbage(
  table: Table,
  retention: Retention,
  state: StoredState,
  clock: Clock,
): Promise<number> {
  let floor = state.floors[retention];
  for (;;) {
    const items = await table.query({ pk: garbagePk(retention), consistent: true, limit: PARTS_PER_READ });
    const [first] = items;
    if (first === undefined) return floor;
    const n = commitOfSortKey(first.sk);
    const itemsOfN = items.filter((item) => commitOfSortKey(item.sk) === n);
    const stampKey = garbageStampKey(retention, n);
    const parts = itemsOfN.filter((item) => item.sk !== stampKey.sk);
    if (state.aborted.has(n)) {
      await table.deleteMany(itemsOfN); // the load was aborted, so what it would have superseded is still in use
      continue;
    }
    if (n > state.commit) return floor; // it belongs to a later load: this one has lost its lease
    if (first.sk !== stampKey.sk) {
      await stampGarbage(table, retention, n, clock); // the load has not stored the time of its commit: count from now
      return floor;
    }
    if (clock() - numberIn(first, 'at') < RETENTION_MS[retention]) return floor;
    for (const part of parts) {
      const { heads = [], items = [] } = Object.groupBy(unpackKeys(part, 'keys'), (key) =>
        isHead(key) ? 'heads' : 'items',
      );
      await table.deleteMany(items);
      // if the condition fails, the thing exists again
      for (const head of heads) await table.delete(head, { text: '#by = :n', values: { n } });
      await table.delete(part);
    }
    if (parts.length === 0) await table.delete(stampKey);
    floor = n;
  }
}
