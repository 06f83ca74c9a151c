import { type Cube, cubesOf, ROLLUP, tablesOf } from '../../catalog/cubes.ts';
import type { RollupEntry, RollupRef } from '../../catalog/partitions.ts';
import type { FactTable } from '../../catalog/tables.ts';
import { unpackColumns } from '../../columns/pack.ts';
import { type CubeRows, decodeCube, keepDays } from '../../columns/rollup.ts';
import type { CommitWriter } from '../../store/commit/commits.ts';
import type { FactWriter } from '../../store/facts/fact-writer.ts';
import { readFactHeads } from '../../store/facts/manifests.ts';
import { readCubes, readsOf } from '../../store/facts/rollups.ts';
import { chooseCubes, describeFacts, MAX_MONTH_ROWS, type MonthFacts } from './choose-cubes.ts';

/** What a load holds of a day in each cube; cubes by which its rows hardly become fewer are absent. */
type RolledDay = ReadonlyMap<Cube, CubeRows>;

const NO_ROWS: CubeRows = { rows: 0, keys: new Map(), measures: new Map() };

/** The cubes of one month of one advertiser, with the days that a load writes. */
export class MonthRollup {
  readonly ref: RollupRef;
  /** The loaded days of each table; those without rows become empty. */
  readonly #loaded = new Map<FactTable, Map<number, RolledDay>>();
  /** The rows of each cube in the loaded days. */
  readonly #rows = new Map<Cube, number>();
  /** The cubes that cannot be complete, by table. */
  readonly #dropped = new Map<FactTable, Set<Cube>>();

  constructor(ref: RollupRef) {
    this.ref = ref;
  }

  /** @returns the cubes that days of the table need to be rolled up into */
  cubesOf(table: FactTable): Cube[] {
    return cubesOf(table).filter((cube) => !this.#isDropped(table, cube));
  }

  /**
   * Adds a day of one table that the load replaces.
   * @param day of the month
   * @param rolled the day's facts in each cube
   */
  addDay(table: FactTable, day: number, rolled: RolledDay): void {
    const days = this.#loaded.get(table) ?? new Map<number, RolledDay>();
    this.#loaded.set(table, days.set(day, rolled));
    for (const cube of cubesOf(table)) {
      const rows = rolled.get(cube)?.rows;
      if (cube !== ROLLUP && rows !== undefined) this.#rows.set(cube, (this.#rows.get(cube) ?? 0) + rows);
      if (rows === undefined || this.#isDropped(table, cube)) this.#drop(table, cube);
    }
    this.#limitRows();
  }

  /** Adds a day of one table that the load empties. */
  emptyDay(table: FactTable, day: number): void {
    this.addDay(table, day, new Map(cubesOf(table).map((cube) => [cube, NO_ROWS])));
  }

  /** Drops the largest cubes while the days have too many rows in memory. */
  #limitRows(): void {
    const sizes = [...this.#rows].sort(([, a], [, b]) => a - b);
    let rows = sizes.reduce((sum, [, count]) => sum + count, 0);
    while (rows > MAX_MONTH_ROWS) {
      const [cube, count] = sizes.pop() ?? [ROLLUP, rows];
      rows -= count;
      for (const table of tablesOf(cube)) this.#drop(table, cube);
    }
  }

  /** Drops the rows that the cube has of the table: a day of it has too many rows, or there is no memory for it. */
  #drop(table: FactTable, cube: Cube): void {
    const dropped = this.#dropped.get(table) ?? new Set<Cube>();
    this.#dropped.set(table, dropped.add(cube));
    const days = this.#loaded.get(table);
    for (const [day, rolled] of days ?? []) {
      const rows = rolled.get(cube)?.rows;
      if (rows === undefined) continue;
      days?.set(day, new Map([...rolled].filter(([name]) => name !== cube)));
      this.#rows.set(cube, (this.#rows.get(cube) ?? 0) - rows);
    }
  }

  #isDropped(table: FactTable, cube: Cube): boolean {
    return this.#dropped.get(table)?.has(cube) === true;
  }

  /**
   * Writes the cubes: the loaded days, and the stored days that the load does not replace. A cube that the month lacks is complete only where the load
   * has all days of the month. Without a complete ROLLUP, the month has no cubes and is read day by day, as an empty month is.
   * @param changed whether the load has changed a day of the month; if not, only a month of an older version is written
   */
  async write(writer: CommitWriter, facts: FactWriter, changed: boolean): Promise<void> {
    const { advertiserId, experience, month } = this.ref;
    if (this.#loaded.size === 0) return; // market, which has no cube
    const head = (await readFactHeads(writer.table, [advertiserId], writer.state)).get(advertiserId);
    const entry = head?.rollups?.get(experience)?.get(month);
    if (!changed && entry?.isOld !== true) return;
    const days = new Map<FactTable, readonly number[]>();
    const ofTables = new Map<FactTable, MonthFacts>();
    for (const table of tablesOf(ROLLUP)) {
      const exists = this.#loaded.has(table) || head?.months.get(experience)?.get(table)?.includes(month) === true;
      const entries = exists ? await facts.daysOf({ ...this.ref, table }) : [];
      days.set(
        table,
        entries.map(({ day }) => day),
      );
      ofTables.set(table, describeFacts(entries));
    }
    if ([...days.values()].every((list) => list.length === 0)) return;
    const stored = entry === undefined ? undefined : await this.#readStored(writer, entry);
    const partsOf = (cube: Cube, table: FactTable) =>
      this.#partsOf(cube, table, days.get(table) ?? [], stored?.get(`${cube}/${table}`));
    const rollup = chooseCubes(ofTables, partsOf, new Set(entry?.cubes.keys()));
    if (rollup !== undefined) await facts.writeRollup(this.ref, rollup);
  }

  /** @returns the rows of the month's cube by `<cube>/<table>`, as it was before the load */
  async #readStored(writer: CommitWriter, entry: RollupEntry): Promise<Map<string, CubeRows>> {
    const stored = new Map<string, CubeRows>();
    const { ref } = this;
    for await (const { read, encoded } of readCubes(writer.table, readsOf({ ref, entry }))) {
      const columns = [...unpackColumns(encoded.packed, ref.month), ...encoded.columns];
      for (const table of read.entry.rows.keys()) {
        const own = columns.flatMap(([name, bytes]) =>
          name.startsWith(`${table}/`) ? [[name.slice(table.length + 1), bytes] as const] : [],
        );
        const name = `${read.cube}/${table}`;
        stored.set(name, decodeCube(read.cube, table, new Map(own), `${ref.month}/${name}`));
      }
    }
    return stored;
  }

  /**
   * @param days the days of the month that have facts
   * @param stored the rows before the load, if the cube has any of the table
   * @returns the rows of the cube; undefined if they are not complete
   */
  #partsOf(cube: Cube, table: FactTable, days: readonly number[], stored?: CubeRows): CubeRows[] | undefined {
    if (this.#isDropped(table, cube)) return undefined;
    const loaded = this.#loaded.get(table) ?? new Map<number, RolledDay>();
    if (stored === undefined && days.some((day) => !loaded.has(day))) return undefined;
    const parts = stored === undefined ? [] : [keepDays(stored, (day) => !loaded.has(day))];
    for (const rolled of loaded.values()) {
      const part = rolled.get(cube);
      if (part === undefined) return undefined;
      parts.push(part);
    }
    return parts.filter(({ rows }) => rows > 0);
  }
}
