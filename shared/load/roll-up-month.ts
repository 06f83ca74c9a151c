import type { RollupRef } from '../catalog/partitions.ts';
import type { FactRows } from '../columns/build-day.ts';
import { packColumns, unpackColumns } from '../columns/pack.ts';
import type { Cube } from '../columns/rollup.ts';
import type { CommitWriter } from '../store/commits.ts';
import { readFactHeads } from '../store/manifests.ts';
import { readRollups, writeRollup } from '../store/rollups.ts';
import type { LoadPool } from './load-pool.ts';

/** What a load brings of one month of one advertiser (or of market), rolled up as its days come. */
export class MonthRollup {
  readonly ref: RollupRef;
  readonly #days = new Map<Cube, Map<number, FactRows>>();

  constructor(ref: RollupRef) {
    this.ref = ref;
  }

  /** Takes a day, rolled up, of one table that the load replaces; without rows it becomes empty. */
  addDay(cube: Cube, day: number, rolled: FactRows): void {
    const days = this.#days.get(cube) ?? new Map<number, FactRows>();
    this.#days.set(cube, days.set(day, rolled));
  }

  /**
   * Writes the rollup: the days that the load brought, and those of the month's rollup so far that it did not. A month that has facts but no
   * rollup so far cannot be rolled up from the load alone: it is left without, and read day by day.
   */
  async write(writer: CommitWriter, pool: Pick<LoadPool, 'rollUp'>): Promise<void> {
    const { advertiserId, experience, month } = this.ref;
    const heads = await readFactHeads(writer.table, [advertiserId], writer.state);
    const head = heads.get(advertiserId);
    const entry = head?.rollups?.get(experience)?.get(month);
    const tables = head?.months.get(experience)?.values() ?? [];
    if (entry === undefined && [...tables].some((months) => months.includes(month))) return;
    const before = new Map<string, Uint8Array>();
    if (entry !== undefined) {
      for await (const stored of readRollups(writer.table, [{ ref: this.ref, entry }], [...entry.users.keys()])) {
        for (const [name, bytes] of unpackColumns(stored.packed, month)) before.set(name, bytes);
        for (const [name, bytes] of stored.users) before.set(name, bytes);
      }
    }
    const columns = await pool.rollUp({ month, before, days: this.#days });
    const isOfUsers = (name: string) => name.slice(name.indexOf('/') + 1).startsWith('users');
    const { users = [], together = [] } = Object.groupBy(columns, ([name]) => (isOfUsers(name) ? 'users' : 'together'));
    await writeRollup(writer, this.ref, { packed: packColumns(new Map(together)), users: new Map(users) });
  }
}
