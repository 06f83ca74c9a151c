import type { RollupRef } from '../catalog/partitions.ts';
import type { FactRows } from '../columns/build-day.ts';
import { packColumns, unpackColumns } from '../columns/pack.ts';
import { CUBES, type Cube, decodeCube, encodeCube, joinDays, keepDays } from '../columns/rollup.ts';
import type { CommitWriter } from '../store/commits.ts';
import { readFactHeads } from '../store/manifests.ts';
import { readRollups, writeRollup } from '../store/rollups.ts';

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
  async write(writer: CommitWriter): Promise<void> {
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
    const together = new Map<string, Uint8Array>();
    const users = new Map<string, Uint8Array>();
    for (const cube of Object.keys(CUBES) as Cube[]) {
      // keys of the literal are the union
      for (const [name, { bytes }] of this.#encode(cube, before)) {
        (name.startsWith('users') ? users : together).set(`${cube}/${name}`, bytes);
      }
    }
    await writeRollup(writer, this.ref, { packed: packColumns(together), users });
  }

  #encode(cube: Cube, before: ReadonlyMap<string, Uint8Array>): ReturnType<typeof encodeCube> {
    const days = this.#days.get(cube) ?? new Map<number, FactRows>();
    const stored = new Map(
      [...before].flatMap(([name, bytes]) =>
        name.startsWith(`${cube}/`) ? [[name.slice(cube.length + 1), bytes]] : [],
      ),
    );
    const kept = keepDays(decodeCube(cube, stored, `${this.ref.month}/${cube}`), (day) => !days.has(day));
    return encodeCube(cube, joinDays([kept, ...days.values()].filter((it) => it.rows > 0)));
  }
}
