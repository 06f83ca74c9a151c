import { type Cube, cubesOf, ROLLUP, tablesOf } from '../../catalog/cubes.ts';
import type { FactHead, MonthEntry, MonthRef } from '../../catalog/partitions.ts';
import type { FactTable } from '../../catalog/tables.ts';
import { unpackColumns } from '../../columns/pack.ts';
import { type CubeRows, columnsOfTable, decodeCube, keepRows } from '../../columns/rollup.ts';
import { countUserPairs } from '../../columns/users.ts';
import type { CommitWriter } from '../../store/commit/commits.ts';
import { type MonthCubes, readCubes, readsOf } from '../../store/facts/cubes.ts';
import type { FactWriter } from '../../store/facts/fact-writer.ts';
import { chooseCubes, describeFacts, isUsers, type MonthFacts } from './choose-cubes.ts';
import { bytesOfPairs, bytesOfRows, bytesOfStoredRows, type CubePart, minBytesOfStoredUsers } from './cube-memory.ts';

/** What a load holds of a day in each cube; cubes that would hardly reduce the day's rows are absent. */
type RolledDay = ReadonlyMap<Cube, CubeRows>;

const NO_ROWS: CubeRows = { rows: 0, keys: new Map(), measures: new Map() };

/** The cubes of one month of one advertiser, with the days that a load writes. */
export class MonthDraft {
  readonly ref: MonthRef;
  /** The loaded days of each table; those without rows become empty. */
  readonly #loaded = new Map<FactTable, Map<number, RolledDay>>();
  readonly #head: FactHead | undefined;
  /** The memory that it may take, and the memory that each part takes. */
  readonly #maxBytes: number;
  readonly #bytes = new Map<CubePart, number>();
  /** Whether the month is written without users, because there is no memory for them. */
  #isWithoutUsers = false;
  /** The cubes that cannot be complete, by table. */
  readonly #dropped = new Map<FactTable, Set<Cube>>();

  /**
   * @param head of the advertiser before the load
   * @param maxBytes of memory, as `cube-memory.ts` estimates it
   */
  constructor(ref: MonthRef, head: FactHead | undefined, maxBytes: number) {
    this.ref = ref;
    this.#head = head;
    this.#maxBytes = maxBytes;
  }

  /** @returns the cubes that days of the table need to be rolled up into */
  wantedCubes(table: FactTable): Cube[] {
    return cubesOf(table).filter((cube) => !this.#isDropped(table, cube));
  }

  /**
   * Adds a day of one table that the load replaces.
   * @param day of the month
   * @param rolled the day's facts in each cube
   */
  addDay(table: FactTable, day: number, rolled: RolledDay): void {
    const days = this.#loaded.get(table) ?? new Map<number, RolledDay>();
    this.#loaded.set(table, days.set(day, this.#isWithoutUsers ? removeUsers(rolled) : rolled));
    for (const cube of cubesOf(table)) {
      const rows = days.get(day)?.get(cube);
      for (const [part, bytes] of rows === undefined ? [] : bytesOfRows(cube, rows)) this.#addBytes(part, bytes);
      if (rows === undefined || this.#isDropped(table, cube)) this.#drop(table, cube); // removes the rows just added, too
    }
    this.#limitBytes();
  }

  /** Adds a day of one table that the load empties. */
  emptyDay(table: FactTable, day: number): void {
    this.addDay(table, day, new Map(cubesOf(table).map((cube) => [cube, NO_ROWS])));
  }

  #addBytes(part: CubePart, bytes: number): void {
    this.#bytes.set(part, (this.#bytes.get(part) ?? 0) + bytes);
  }

  /** Drops the largest parts while all together take too much memory; the rows of ROLLUP last. */
  #limitBytes(): void {
    const rollup = this.#bytes.get(ROLLUP) ?? 0;
    const others = [...this.#bytes].filter(([part]) => part !== ROLLUP).sort(([, a], [, b]) => a - b);
    let bytes = others.reduce((sum, [, size]) => sum + size, rollup);
    while (bytes > this.#maxBytes) {
      const [part, size] = others.pop() ?? [ROLLUP, bytes];
      bytes -= size;
      if (part === 'users') this.#dropUsers();
      else for (const table of tablesOf(part)) this.#drop(table, part);
      this.#bytes.delete(part);
    }
  }

  #dropUsers(): void {
    this.#isWithoutUsers = true;
    for (const days of this.#loaded.values()) for (const [day, rolled] of days) days.set(day, removeUsers(rolled));
  }

  /** Drops the rows that the cube has of the table: a day of it has too many rows, or there is no memory for it. */
  #drop(table: FactTable, cube: Cube): void {
    const dropped = this.#dropped.get(table) ?? new Set<Cube>();
    this.#dropped.set(table, dropped.add(cube));
    const days = this.#loaded.get(table);
    for (const [day, rolled] of days ?? []) {
      const rows = rolled.get(cube);
      if (rows === undefined) continue;
      days?.set(day, new Map([...rolled].filter(([name]) => name !== cube)));
      for (const [part, bytes] of bytesOfRows(cube, rows)) this.#addBytes(part, -bytes);
    }
  }

  #isDropped(table: FactTable, cube: Cube): boolean {
    return this.#dropped.get(table)?.has(cube) === true;
  }

  /**
   * Writes the cubes: the loaded days, and the stored days that the load does not replace. A cube that the month lacks is complete only where the load
   * has all days of the month with facts. Without a complete ROLLUP, the month has no cubes and is read day by day.
   * @param changed whether the load has changed a day of the month
   * @returns the cubes that are written, or why there are none: 'unchanged', 'none' if the month has no facts, 'incomplete' if it is read day by day
   */
  async write(
    writer: CommitWriter,
    facts: FactWriter,
    changed: boolean,
  ): Promise<MonthCubes | 'unchanged' | 'none' | 'incomplete'> {
    const { experience, month } = this.ref;
    if (!changed || this.#loaded.size === 0) return 'unchanged'; // market has no cube
    const head = this.#head;
    const entry = head?.cubeMonths?.get(experience)?.get(month);
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
    if ([...days.values()].every((list) => list.length === 0)) return 'none';
    if (entry !== undefined) this.#addStored(entry);
    if (this.#isDropped('delivery', ROLLUP)) return 'incomplete'; // ROLLUP is dropped from all tables together, so nothing has to be read
    const stored = entry === undefined ? undefined : await this.#readStored(writer, entry);
    const partsOf = (cube: Cube, table: FactTable) =>
      this.#partsOf(cube, table, days.get(table) ?? [], stored?.get(`${cube}/${table}`));
    const cubes = chooseCubes(ofTables, partsOf, new Set(entry?.cubes.keys()));
    if (cubes === undefined) return 'incomplete';
    await facts.writeCubes(this.ref, cubes);
    return cubes;
  }

  /** Adds the least memory that the stored cubes take, before they are read. */
  #addStored({ cubes }: MonthEntry): void {
    for (const [cube, entry] of cubes) {
      if (tablesOf(cube).some((table) => !this.#isDropped(table, cube))) this.#addBytes(cube, bytesOfStoredRows(entry));
      if (!this.#isWithoutUsers) this.#addBytes('users', minBytesOfStoredUsers(entry));
    }
    this.#limitBytes();
  }

  /** @returns the rows of the month's cubes by `<cube>/<table>`, as they were before the load, without the parts that were dropped before they were read */
  async #readStored(writer: CommitWriter, entry: MonthEntry): Promise<Map<string, CubeRows>> {
    const stored = new Map<string, CubeRows>();
    const { ref } = this;
    const isRead = (column: string) => !this.#isWithoutUsers || !isUsers(column);
    const reads = readsOf({ ref, entry })
      .filter(({ cube }) => tablesOf(cube).some((table) => !this.#isDropped(table, cube)))
      .map((read) => ({ ...read, columns: read.columns.filter(isRead) }));
    for await (const { read, encoded } of readCubes(writer.table, reads)) {
      const users = [...encoded.columns].filter(([name]) => isUsers(name));
      const pairs = users.reduce((sum, [name, bytes]) => sum + countUserPairs(bytes, `${ref.month}/${name}`), 0);
      if (users.length > 0) this.#addBytes('users', bytesOfPairs(pairs) - minBytesOfStoredUsers(read.entry));
      this.#limitBytes();
      const columns = [...unpackColumns(encoded.packed, ref.month), ...encoded.columns];
      for (const table of read.entry.rows.keys()) {
        if (this.#isDropped(table, read.cube)) continue;
        const name = `${read.cube}/${table}`;
        const own = columnsOfTable(
          columns.filter(([column]) => isRead(column)),
          table,
        );
        stored.set(name, decodeCube(read.cube, table, own, `${ref.month}/${name}`));
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
    const parts = stored === undefined ? [] : [keepRows(stored, 'date', (day) => !loaded.has(day))];
    for (const rolled of loaded.values()) {
      const part = rolled.get(cube);
      if (part === undefined) return undefined;
      parts.push(part);
    }
    const present = parts.filter(({ rows }) => rows > 0);
    // users of some of the days would be read as those of all
    return present.every(({ users }) => users !== undefined) ? present : present.map(withoutUsers);
  }
}

function removeUsers(rolled: RolledDay): RolledDay {
  return new Map([...rolled].map(([cube, rows]) => [cube, withoutUsers(rows)]));
}

function withoutUsers({ users: _, ...rows }: CubeRows): CubeRows {
  return rows;
}
