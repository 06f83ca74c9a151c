import type { Clock } from '../../lib/clock.ts';
import type { Table } from '../table/client.ts';
import { numberIn } from '../table/item.ts';
import type { Retention } from '../table/keys.ts';
import { commitOfSortKey, garbagePk, garbageStampKey } from '../table/keys.ts';
import type { StoredState } from './commit-state.ts';
import { unpackKeys } from './journal.ts';

/**
 * How long after a commit the entries it superseded are kept. `readers`: a reader's commit is at most a second old when it starts, and it has 29 seconds.
 * `views`: a user's view serves 30 days, and says to the day when it was last moved.
 */
export const KEEP_MS: Readonly<Record<Retention, number>> = { readers: 60_000, views: 31 * 86_400_000 };

const PARTS_AT_ONCE = 20;

/** Notes when load `n` was committed; from then on the time counts. */
export async function stampGarbage(table: Table, retention: Retention, n: number, clock: Clock): Promise<void> {
  await table.put({ ...garbageStampKey(retention, n), at: clock() }, { text: 'attribute_not_exists(#pk)' });
}

/**
 * Deletes the superseded entries whose time is over, by their exact keys: first the entries, then the note of them, so that it can be killed
 * anywhere and run again.
 * @returns the number up to which superseded entries are gone; unchanged where nothing was due
 */
export async function collectGarbage(
  table: Table,
  retention: Retention,
  state: StoredState,
  clock: Clock,
): Promise<number> {
  let floor = state.floors[retention];
  for (;;) {
    const items = await table.query({ pk: garbagePk(retention), consistent: true, limit: PARTS_AT_ONCE });
    const [first] = items;
    if (first === undefined) return floor;
    const n = commitOfSortKey(first.sk);
    const ofN = items.filter((item) => commitOfSortKey(item.sk) === n);
    const stampKey = garbageStampKey(retention, n);
    const parts = ofN.filter((item) => item.sk !== stampKey.sk);
    if (state.aborted.has(n)) {
      await table.deleteMany(ofN); // written by a load taken for dead: what it wanted to supersede is still in use
      continue;
    }
    if (first.sk !== stampKey.sk) {
      await stampGarbage(table, retention, n, clock); // killed right after the commit: the time counts from now
      return floor;
    }
    if (clock() - numberIn(first, 'at') < KEEP_MS[retention]) return floor;
    for (const part of parts) {
      await table.deleteMany(unpackKeys(part, 'keys'));
      await table.delete(part);
    }
    if (parts.length === 0) await table.delete(stampKey);
    floor = n;
  }
}
