import type { RollupRef } from '../../catalog/partitions.ts';
import type { FactTable } from '../../catalog/tables.ts';
import type { FactRows } from '../../columns/build-day.ts';
import { packColumns, unpackColumns } from '../../columns/pack.ts';
import { CUBES, type Cube, cubesOf, decodeCube, encodeCube, joinDays, keepDays } from '../../columns/rollup.ts';
import type { CommitWriter } from '../../store/commit/commits.ts';
import type { FactWriter } from '../../store/facts/fact-writer.ts';
import { readFactHeads } from '../../store/facts/manifests.ts';
import { type RollupData, readRollups } from '../../store/facts/rollups.ts';

const NO_ROWS: FactRows = { rows: 0, keys: new Map(), measures: new Map() };

/** The rollup of one month of one advertiser, with the days that a load writes. */
export class MonthRollup {
  readonly ref: RollupRef;
  /** The loaded days of each cube; those without rows become empty. */
  readonly #loadedDays = new Map<Cube, Map<number, FactRows>>();

  constructor(ref: RollupRef) {
    this.ref = ref;
  }

  /**
   * Adds a day of one table that the load replaces.
   * @param day of the month
   * @param facts rolled up by the cube's keys
   */
  addDay(cube: Cube, day: number, facts: FactRows): void {
    const days = this.#loadedDays.get(cube) ?? new Map<number, FactRows>();
    this.#loadedDays.set(cube, days.set(day, facts));
  }

  /** Adds a day of one table that the load empties. */
  emptyDay(table: FactTable, day: number): void {
    for (const cube of cubesOf(table)) this.addDay(cube, day, NO_ROWS);
  }

  /**
   * Writes the rollup: the loaded days, and the stored days that the load does not replace. A month that has facts but no rollup cannot be rolled up
   * from the load alone: it stays without one, and is read day by day. An empty month has no rollup either.
   */
  async write(writer: CommitWriter, facts: FactWriter): Promise<void> {
    if (this.#loadedDays.size === 0) return; // market, which has no cube
    const { advertiserId, experience, month } = this.ref;
    const heads = await readFactHeads(writer.table, [advertiserId], writer.state);
    const head = heads.get(advertiserId);
    const entry = head?.rollups?.get(experience)?.get(month);
    const tables = head?.months.get(experience)?.values() ?? [];
    if (entry === undefined && [...tables].some((months) => months.includes(month))) return;
    let stored: RollupData | undefined;
    if (entry !== undefined) {
      for await (const found of readRollups(writer.table, [{ ref: this.ref, entry }], [...entry.users.keys()])) {
        stored = { packed: found.packed, users: found.users };
      }
    }
    const rollup = this.#encode(stored);
    if (rollup !== undefined) await facts.writeRollup(this.ref, rollup);
  }

  /** @returns the rollup with the loaded days; undefined if the month has no rows */
  #encode(stored: RollupData | undefined): RollupData | undefined {
    const { month } = this.ref;
    const columns = stored === undefined ? [] : [...unpackColumns(stored.packed, month), ...stored.users];
    let hasRows = false;
    const packed = new Map<string, Uint8Array>();
    const users = new Map<string, Uint8Array>();
    for (const cube of Object.keys(CUBES) as Cube[]) {
      // keys of the literal are the union
      const prefix = `${cube}/`;
      const own = columns.flatMap(([name, bytes]) =>
        name.startsWith(prefix) ? [[name.slice(prefix.length), bytes] as const] : [],
      );
      const loaded = this.#loadedDays.get(cube) ?? new Map<number, FactRows>();
      const kept = keepDays(decodeCube(cube, new Map(own), `${month}/${cube}`), (day) => !loaded.has(day));
      const joined = joinDays([kept, ...loaded.values()].filter((part) => part.rows > 0));
      if (joined.rows > 0) hasRows = true;
      for (const [name, column] of encodeCube(cube, joined)) {
        (name.startsWith('users') ? users : packed).set(`${prefix}${name}`, column.bytes);
      }
    }
    return hasRows ? { packed: packColumns(packed), users } : undefined;
  }
}
