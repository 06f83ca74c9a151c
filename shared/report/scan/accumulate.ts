import type { FactTable, Measure } from '../../catalog/tables.ts';
import type { UserRows } from '../../columns/column.ts';
import { DistinctSketch } from '../../columns/sketch.ts';
import { foldSums, type GroupSums } from '../sums/group-sums.ts';
import { MeasureSums } from '../sums/measure-sums.ts';
import { type Grouping, groupsOfRows } from './group-rows.ts';
import type { Segment } from './segment.ts';

/** Which of many: nothing seen, one (its code), or several. */
const NONE = -1;
const SEVERAL = -2;

/** What is summed up for each group, by group number; index 0 takes what belongs to no group. */
export class Accumulators {
  readonly #sums = new Map<Measure, GroupSums>();
  readonly #users = new Map<FactTable, (DistinctSketch | undefined)[]>();
  readonly #only = new Map<EntityKind, Int32Array>();
  readonly #openBands = new Map<FactTable, number>();
  /** The measures while facts are scanned. */
  readonly #scanned: MeasureSums<Measure>;
  #capacity = 1024;

  /** @param measures those that `addMeasures` will be given */
  constructor(measures: readonly Measure[] = []) {
    this.#scanned = new MeasureSums(measures, this.#capacity);
  }

  /** Makes room for the groups 0…groups; call it after grouping a day, before adding it. */
  reserve(groups: number): void {
    if (groups < this.#capacity) return;
    this.#capacity = Math.max(this.#capacity * 2, groups + 1);
    this.#scanned.reserve(this.#capacity);
    for (const [name, only] of this.#only) this.#only.set(name, grow(only, new Int32Array(this.#capacity).fill(NONE)));
  }

  /** @returns the sums of one measure after `finishScan`; 0 for every group where it was not scanned. */
  sums(name: Measure): GroupSums {
    return this.#sums.get(name) ?? NO_SUMS;
  }

  /** Adds measures of a segment's rows to their groups; where all rows are of one group, the columns' sums are enough. */
  addMeasures(
    names: readonly Measure[],
    grouping: Grouping,
    segment: Pick<Segment, 'rows' | 'measure' | 'sumOf'>,
  ): void {
    const columns: Measure[] = [];
    for (const name of names) {
      const sum = grouping.kind === 'one' ? segment.sumOf(name) : Number.POSITIVE_INFINITY;
      if (grouping.kind === 'one' && sum <= Number.MAX_SAFE_INTEGER) this.#scanned.add(name, grouping.group, sum);
      else columns.push(name);
    }
    if (columns.length === 0) return;
    this.#scanned.addRows(
      groupsOfRows(grouping, segment.rows),
      columns.map((name) => ({ name, data: segment.measure(name) })),
    );
  }

  /** Ends the scan: from now on `sums` has the measures. */
  finishScan(): void {
    for (const [name, sums] of this.#scanned.take()) this.#sums.set(name, sums);
  }

  /** Announces that from now on users of the table with hashes below `below` are added, and that those of all smaller hashes have been. */
  openBand(table: FactTable, below: number): void {
    this.#openBands.set(table, below);
    for (const sketch of this.#users.get(table) ?? []) sketch?.widen(below);
  }

  /** @returns whether users with larger hashes would change no group's count of the table's users. */
  isSettled(table: FactTable, groups: number): boolean {
    const sketches = this.#users.get(table) ?? [];
    for (let group = 1; group <= groups; group++) {
      if (sketches[group]?.isSettled !== true) return false;
    }
    return true;
  }

  addUsers(table: FactTable, grouping: Grouping, users: UserRows): void {
    const { hashes, offsets, at } = users;
    for (let user = 0; user < hashes.length; user++) {
      const hash = hashes[user] as number; // user < length, and offsets has one more
      if (grouping.kind === 'one') {
        this.#sketch(table, grouping.group).add(hash);
        continue;
      }
      let before = 0;
      for (let i = offsets[user] as number; i < (offsets[user + 1] as number); i++) {
        const group = grouping.groups[at[i] as number] as number; // rows < groups.length: decodeUsers has checked
        if (group === 0 || group === before) continue;
        this.#sketch(table, group).add(hash);
        before = group;
      }
    }
  }

  /** Notes that the group of each row has facts of the entity of that row; `entities` has a code ≥ 0 for each of the row's codes. */
  addEntities(kind: EntityKind, grouping: Grouping, codes: ArrayLike<number>, entities: ArrayLike<number>): void {
    const only = this.#onlyOf(kind);
    for (let row = 0; row < codes.length; row++) {
      const group = grouping.kind === 'one' ? grouping.group : (grouping.groups[row] as number); // row < groups.length
      const entity = entities[codes[row] as number] as number; // codes index the dictionary that entities belongs to
      const before = only[group];
      if (before === NONE) only[group] = entity;
      else if (before !== entity) only[group] = SEVERAL;
    }
  }

  users(table: FactTable, group: number): DistinctSketch | undefined {
    return this.#users.get(table)?.[group];
  }

  /** @returns the code of the one entity that all facts of the group belong to; undefined where there is none, null where there are several. */
  onlyEntity(kind: EntityKind, group: number): number | null | undefined {
    const code = this.#only.get(kind)?.[group] ?? NONE;
    return code === NONE ? undefined : code === SEVERAL ? null : code;
  }

  /** @returns accumulators whose group 1 is all of the given groups together: sums added, users united, entities compared. */
  fold(groups: Uint32Array): Accumulators {
    const folded = new Accumulators();
    for (const [name, sums] of this.#sums) folded.#sums.set(name, foldSums(sums, groups));
    for (const [table, sketches] of this.#users) {
      for (const group of groups) {
        const sketch = sketches[group];
        if (sketch !== undefined) folded.#sketch(table, 1).merge(sketch);
      }
    }
    for (const [kind, only] of this.#only) {
      const target = folded.#onlyOf(kind);
      for (const group of groups) target[1] = eitherEntity(target[1] ?? NONE, only[group] ?? NONE);
    }
    return folded;
  }

  /** Takes over what was accumulated of other measures, users and entities for the same groups. */
  include(other: Accumulators): void {
    for (const [name, sums] of other.#sums) this.#sums.set(name, sums);
    for (const [table, sketches] of other.#users) this.#users.set(table, sketches);
    for (const [kind, only] of other.#only) {
      const target = this.#onlyOf(kind);
      for (let group = 0; group < target.length; group++)
        target[group] = eitherEntity(target[group] ?? NONE, only[group] ?? NONE);
    }
  }

  #sketch(table: FactTable, group: number): DistinctSketch {
    let sketches = this.#users.get(table);
    if (sketches === undefined) {
      sketches = [];
      this.#users.set(table, sketches);
    }
    let sketch = sketches[group];
    if (sketch === undefined) {
      sketch = new DistinctSketch(this.#openBands.get(table));
      sketches[group] = sketch;
    }
    return sketch;
  }

  #onlyOf(kind: EntityKind): Int32Array {
    let only = this.#only.get(kind);
    if (only === undefined) {
      only = new Int32Array(this.#capacity).fill(NONE);
      this.#only.set(kind, only);
    }
    return only;
  }
}

const NO_SUMS: GroupSums = { low: new Float64Array(0) };

export type EntityKind = 'ad_group' | 'campaign';

function eitherEntity(a: number, b: number): number {
  if (a === b || b === NONE) return a;
  return a === NONE ? b : SEVERAL;
}

function grow<T extends Float64Array | Int32Array>(old: T, target: T): T {
  target.set(old);
  return target;
}
