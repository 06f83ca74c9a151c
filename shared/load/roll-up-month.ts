import type { RollupRef } from '../catalog/partitions.ts';
import type { FactTable } from '../catalog/tables.ts';
import { type Cube, cubesOf } from '../columns/rollup.ts';
import { joinPieces } from '../lib/join-pieces.ts';
import type { CommitWriter } from '../store/commit/commits.ts';
import type { FactWriter } from '../store/facts/fact-writer.ts';
import { readFactHeads } from '../store/facts/manifests.ts';
import { type RollupData, readRollups } from '../store/facts/rollups.ts';
import type { RolledDay } from './encode-spilled.ts';
import type { LoadPool } from './load-pool.ts';

/** What a load brings of one month of one advertiser (or of market), rolled up as its days come. */
export class MonthRollup {
  readonly ref: RollupRef;
  readonly #cubes = new Map<Cube, Map<number, RolledDay>>();

  constructor(ref: RollupRef) {
    this.ref = ref;
  }

  /** Takes a day, rolled up, of one table that the load replaces. */
  addDay(cube: Cube, day: number, rolled: RolledDay): void {
    const days = this.#cubes.get(cube) ?? new Map<number, RolledDay>();
    this.#cubes.set(cube, days.set(day, rolled));
  }

  /** Takes a day of one table that the load empties. */
  emptyDay(table: FactTable, day: number): void {
    for (const cube of cubesOf(table)) this.addDay(cube, day, { rows: 0, bytes: new Uint8Array(0) });
  }

  /**
   * Writes the rollup: the days that the load brought, and those of the month's rollup so far that it did not. A month that has facts but no
   * rollup so far cannot be rolled up from the load alone: it is left without, and read day by day. A month that is empty now is left without, too.
   */
  async write(writer: CommitWriter, facts: FactWriter, pool: Pick<LoadPool, 'rollUp'>): Promise<void> {
    const { advertiserId, experience, month } = this.ref;
    const heads = await readFactHeads(writer.table, [advertiserId], writer.state);
    const head = heads.get(advertiserId);
    const entry = head?.rollups?.get(experience)?.get(month);
    const tables = head?.months.get(experience)?.values() ?? [];
    if (entry === undefined && [...tables].some((months) => months.includes(month))) return;
    let before: RollupData | undefined;
    if (entry !== undefined) {
      for await (const stored of readRollups(writer.table, [{ ref: this.ref, entry }], [...entry.users.keys()])) {
        before = { packed: stored.packed, users: stored.users };
      }
    }
    const brought = [...this.#cubes].map(([cube, rolled]) => {
      const of = [...rolled.values()];
      const rows = of.reduce((sum, it) => sum + it.rows, 0);
      return [cube, { days: [...rolled.keys()], rows, bytes: joinPieces(of.map((it) => it.bytes)) }] as const;
    });
    const rollup = await pool.rollUp({ month, before, brought: new Map(brought) });
    if (rollup !== undefined) await facts.writeRollup(this.ref, rollup);
  }
}
