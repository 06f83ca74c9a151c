import type { FactTable, Measure } from '../catalog/tables.ts';
import type { MeasureData, UserRows } from '../columns/column.ts';
import { DistinctSketch } from '../columns/sketch.ts';
import type { Grouping } from './group-rows.ts';
import { MeasureSums } from './measure-sums.ts';
import type { Segment } from './segment.ts';

/** Which of many: nothing seen, one (its code), or several. */
const NONE = -1;
const SEVERAL = -2;

/** What is summed up for each group, by group number; index 0 takes what belongs to no group. */
export class Accumulators {
  readonly #sums = new Map<string, Float64Array>();
  readonly #users = new Map<FactTable, (DistinctSketch | undefined)[]>();
  readonly #only = new Map<string, Int32Array>();
  readonly #openBands = new Map<FactTable, number>();
  /** The measures while facts are scanned; side by side, because all of a row's are added together. */
  readonly #scanned: MeasureSums<Measure>;
  readonly #derived: MeasureSums<'planned_cost'>;
  #capacity = 1024;

  /** @param measures those that `addMeasures` will be given */
  constructor(measures: readonly Measure[] = []) {
    this.#scanned = new MeasureSums(measures, this.#capacity);
    this.#derived = new MeasureSums(['planned_cost'], this.#capacity);
  }

  /** Makes room for the groups 0…groups; call it after grouping a day, before adding it. */
  reserve(groups: number): void {
    if (groups < this.#capacity) return;
    this.#capacity = Math.max(this.#capacity * 2, groups + 1);
    this.#scanned.reserve(this.#capacity);
    this.#derived.reserve(this.#capacity);
    for (const [name, sums] of this.#sums) this.#sums.set(name, grow(sums, new Float64Array(this.#capacity)));
    for (const [name, only] of this.#only) this.#only.set(name, grow(only, new Int32Array(this.#capacity).fill(NONE)));
  }

  /** @returns the sums of one measure (or of a quantity derived in the scan), made at first use. */
  sums(name: Measure | DerivedSum): Float64Array {
    let sums = this.#sums.get(name);
    if (sums === undefined) {
      sums = new Float64Array(this.#capacity);
      this.#sums.set(name, sums);
    }
    return sums;
  }

  /** Adds measures of a segment's rows to their groups; where all rows are of one group, the columns' sums are enough. */
  addMeasures(names: readonly Measure[], grouping: Grouping, segment: Pick<Segment, 'measure' | 'sumOf'>): void {
    if (grouping.kind === 'one') for (const name of names) this.#scanned.add(name, grouping.group, segment.sumOf(name));
    else
      this.#scanned.addRows(
        grouping.groups,
        names.map((name) => ({ name, data: segment.measure(name) })),
      );
  }

  /** Adds the cost of rows whose ad group has a plan to their groups; the groups of others are 0. */
  addPlannedCost(groups: Uint32Array, data: MeasureData): void {
    this.#derived.addRows(groups, [{ name: 'planned_cost', data }]);
  }

  /** Ends the scan: from now on `sums` has the measures. */
  finishScan(): void {
    for (const [name, sums] of [...this.#scanned.take(), ...this.#derived.take()]) this.#sums.set(name, sums);
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
    for (const [name, sums] of this.#sums) {
      const total = name === 'plan' ? sumAscending(sums, groups) : sumOf(sums, groups);
      folded.sums(name as Measure | DerivedSum)[1] = total; // names were given to sums() as such
    }
    for (const [table, sketches] of this.#users) {
      for (const group of groups) {
        const sketch = sketches[group];
        if (sketch !== undefined) folded.#sketch(table, 1).merge(sketch);
      }
    }
    for (const [kind, only] of this.#only) {
      const target = folded.#onlyOf(kind as EntityKind); // kinds were given to #onlyOf as such
      for (const group of groups) {
        const code = only[group] ?? NONE;
        if (code === NONE) continue;
        target[1] = target[1] === NONE || target[1] === code ? code : SEVERAL;
      }
    }
    return folded;
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

/** Sums that are no column of a fact table: cost of entities with a plan, the plan itself, the market's impressions of the group's slice. */
export type DerivedSum = 'planned_cost' | 'plan' | 'market_slice' | 'own_slice';

export type EntityKind = 'ad_group' | 'campaign';

function grow<T extends Float64Array | Int32Array>(old: T, target: T): T {
  target.set(old);
  return target;
}

function sumOf(sums: Float64Array, groups: Uint32Array): number {
  let total = 0;
  for (let i = 0; i < groups.length; i++) total += sums[groups[i] as number] as number; // group numbers index the sums
  return total;
}

/** Plans are fractions: added up from the smallest, their total does not depend on the order of the groups. */
function sumAscending(sums: Float64Array, groups: Uint32Array): number {
  return Float64Array.from(groups, (group) => sums[group] ?? 0)
    .sort()
    .reduce((total, value) => total + value, 0);
}
