import { EXPERIENCES, type Experience, type FactTable, type Measure } from '../../catalog/tables.ts';
import type { ShopperRows } from '../../columns/column.ts';
import type { ScannedSum, SumName } from '../plan/plan-sums.ts';
import { DistinctShoppers } from '../sums/distinct-shoppers.ts';
import { foldSums, type GroupSums, NO_SUMS } from '../sums/group-sums.ts';
import { MeasureSums } from '../sums/measure-sums.ts';
import type { EntityKind } from './entities.ts';
import { type Grouping, groupsOfRows } from './group-rows.ts';
import type { Segment } from './segment.ts';

/** In place of the code of an entity: a group has facts of no entity so far, or of several. */
const NONE = -1;
const SEVERAL = -2;

/** Shoppers of a fact table, on all days or on those that have a measure. */
export type ShopperSet = FactTable | `${FactTable} on days with ${Measure}`;

/** The sums and distinct shoppers of each group, the entity that all its facts belong to, and their experiences, by group number. Index 0 takes rows that belong to no group. */
export class Accumulators {
  readonly #sums = new Map<SumName, GroupSums>();
  readonly #shoppers = new Map<ShopperSet, DistinctShoppers>();
  /** For each group, the code of the entity that its facts belong to, or NONE or SEVERAL. */
  readonly #onlyEntities = new Map<EntityKind, Int32Array>();
  /** For each group, a bit for each experience of its facts, and higher ones for those of its plan. */
  #experiences: Uint8Array | undefined;
  /** The sums during the scan. */
  readonly #scanned: MeasureSums<SumName>;
  /** For each group, the number of the shopper that was added last, because a shopper has several rows of a group; and how many shoppers there were. */
  #latest = new Uint32Array(0);
  #shoppersSeen = 0;
  #capacity = 1024;

  /** @param names of the sums */
  constructor(names: readonly SumName[] = []) {
    this.#scanned = new MeasureSums(names, this.#capacity);
  }

  /** Makes room for the groups 0…groups. Call it after a segment is grouped and before its rows are added. */
  reserve(groups: number): void {
    if (groups < this.#capacity) return;
    this.#capacity = grownCapacity(this.#capacity, groups);
    this.#scanned.reserve(this.#capacity);
    for (const [kind, codes] of this.#onlyEntities) {
      const grown = this.#newCodes();
      grown.set(codes);
      this.#onlyEntities.set(kind, grown);
    }
    if (this.#experiences !== undefined) {
      const grown = new Uint8Array(this.#capacity);
      grown.set(this.#experiences);
      this.#experiences = grown;
    }
  }

  /** Call it after `finishScan`. @returns the sums by group; 0 for every group where nothing was scanned for the sum */
  sums(name: SumName): GroupSums {
    return this.#sums.get(name) ?? NO_SUMS;
  }

  /** Adds measures of a segment's rows to their groups. Where all rows belong to one group, sums in the columns' headers are enough if they are below 2^53. */
  addMeasures(
    sums: readonly Pick<ScannedSum, 'name' | 'measure'>[],
    grouping: Grouping,
    segment: Pick<Segment, 'rows' | 'measure' | 'sumOf'>,
  ): void {
    const columns: Pick<ScannedSum, 'name' | 'measure'>[] = [];
    for (const column of sums) {
      const sum = grouping.kind === 'one' ? segment.sumOf(column.measure) : Number.POSITIVE_INFINITY;
      if (grouping.kind === 'one' && sum <= Number.MAX_SAFE_INTEGER)
        this.#scanned.add(column.name, grouping.group, sum);
      else columns.push(column);
    }
    if (columns.length === 0) return;
    this.#scanned.addRows(
      groupsOfRows(grouping, segment.rows),
      columns.map(({ name, measure }) => ({ name, data: segment.measure(measure) })),
    );
  }

  /** Sets a sum of each group, which was not scanned. */
  setSums(name: SumName, doubles: Float64Array): void {
    this.#sums.set(name, { doubles });
  }

  /** Ends the scan, after which `sums` returns the sums of the groups 0…groups. */
  finishScan(groups: number): void {
    for (const [name, sums] of this.#scanned.take(groups + 1)) this.#sums.set(name, sums);
  }

  /** Call it before shoppers of the table with hashes less than `below` are added; shoppers of all earlier bands must have been added. */
  openBand(table: ShopperSet, below: number): void {
    const shoppers = this.#shoppers.get(table);
    if (shoppers === undefined) this.#shoppers.set(table, new DistinctShoppers(below));
    else shoppers.widen(below);
  }

  /** @returns whether the shoppers of further bands would not change any group's count */
  isSettled(table: ShopperSet, groups: number): boolean {
    return this.#shoppersOf(table).isSettled(groups);
  }

  /** Adds the shoppers of one band of a segment to their groups. */
  addShoppers(table: ShopperSet, grouping: Grouping, shoppers: ShopperRows): void {
    const { hashes, offsets, positions } = shoppers;
    const distinct = this.#shoppersOf(table);
    if (grouping.kind === 'one') {
      for (const hash of hashes) distinct.add(grouping.group, hash);
      return;
    }
    if (this.#latest.length < this.#capacity) this.#latest = new Uint32Array(this.#capacity);
    const latest = this.#latest;
    for (let shopper = 0; shopper < hashes.length; shopper++) {
      const number = ++this.#shoppersSeen;
      const end = offsets[shopper + 1] ?? 0;
      for (let i = offsets[shopper] ?? 0; i < end; i++) {
        const group = grouping.groups[positions[i] ?? 0] ?? 0;
        if (group === 0 || latest[group] === number) continue;
        latest[group] = number;
        distinct.add(group, hashes[shopper] ?? 0);
      }
    }
  }

  /**
   * Records which entities the facts of each group belong to.
   * @param codes the dictionary code of each row
   * @param entities the entity code (≥ 0) of each dictionary code
   */
  addEntities(kind: EntityKind, grouping: Grouping, codes: ArrayLike<number>, entities: ArrayLike<number>): void {
    const only = this.#entityCodes(kind);
    for (let row = 0; row < codes.length; row++) {
      const group = grouping.kind === 'one' ? grouping.group : (grouping.groups[row] ?? 0);
      const entity = entities[codes[row] ?? 0] ?? 0;
      const before = only[group];
      if (before === NONE) only[group] = entity;
      else if (before !== entity) only[group] = SEVERAL;
    }
  }

  /** Records the experience of rows of each group; null for any. Those of a plan, which is no fact, matter only in groups without facts. */
  addExperience(grouping: Grouping, rows: number, experience: Experience | null, areFacts: boolean): void {
    this.#experiences ??= new Uint8Array(this.#capacity);
    const bits = bitsOf(experience === null ? EXPERIENCES : [experience]) << (areFacts ? 0 : EXPERIENCES.length);
    const groups = grouping.kind === 'one' ? [grouping.group] : groupsOfRows(grouping, rows);
    for (const group of groups) this.#experiences[group] = (this.#experiences[group] ?? 0) | bits;
  }

  /** @returns a function that returns whether facts of the group, or its plan if it has none, are in one of the experiences, as far as experiences were recorded */
  inExperiences(experiences: readonly Experience[]): (group: number) => boolean {
    const bits = bitsOf(experiences);
    return (group) => {
      const all = this.#experiences?.[group] ?? 0;
      const own = all & bitsOf(EXPERIENCES) || all >> EXPERIENCES.length;
      return own === 0 || (own & bits) !== 0;
    };
  }

  /** @returns the number of the group's distinct shoppers; exact up to 8,192 */
  shopperCount(table: ShopperSet, group: number): number {
    return this.#shoppers.get(table)?.countOf(group) ?? 0;
  }

  /** @returns the code of the only entity that facts of the group belong to; undefined where there is none, null where there are several */
  onlyEntity(kind: EntityKind, group: number): number | null | undefined {
    const code = this.#onlyEntities.get(kind)?.[group] ?? NONE;
    return code === NONE ? undefined : code === SEVERAL ? null : code;
  }

  /** @returns new accumulators whose group 1 combines the given groups: sums are added, shoppers united and entities compared */
  fold(groups: Uint32Array): Accumulators {
    const folded = new Accumulators();
    for (const [name, sums] of this.#sums) folded.#sums.set(name, foldSums(sums, groups));
    for (const [table, shoppers] of this.#shoppers) folded.#shoppers.set(table, shoppers.fold(groups));
    for (const [kind, codes] of this.#onlyEntities) {
      const target = folded.#entityCodes(kind);
      for (const group of groups) target[1] = combineEntities(target[1] ?? NONE, codes[group] ?? NONE);
    }
    const own = this.#experiences;
    folded.#experiences =
      own &&
      Uint8Array.of(
        0,
        groups.reduce((bits, group) => bits | (own[group] ?? 0), 0),
      );
    return folded;
  }

  /** Adds what other accumulators have for the same groups: other measures, shoppers of other tables, and entities. */
  include(other: Accumulators): void {
    for (const [name, sums] of other.#sums) this.#sums.set(name, sums);
    for (const [table, shoppers] of other.#shoppers) this.#shoppers.set(table, shoppers);
    for (const [kind, codes] of other.#onlyEntities) {
      const target = this.#entityCodes(kind);
      for (let group = 0; group < target.length; group++)
        target[group] = combineEntities(target[group] ?? NONE, codes[group] ?? NONE);
    }
    const others = other.#experiences;
    this.#experiences = this.#experiences?.map((bits, group) => bits | (others?.[group] ?? 0)) ?? others;
  }

  #shoppersOf(table: ShopperSet): DistinctShoppers {
    let shoppers = this.#shoppers.get(table);
    if (shoppers === undefined) {
      shoppers = new DistinctShoppers();
      this.#shoppers.set(table, shoppers);
    }
    return shoppers;
  }

  #entityCodes(kind: EntityKind): Int32Array {
    let codes = this.#onlyEntities.get(kind);
    if (codes === undefined) {
      codes = this.#newCodes();
      this.#onlyEntities.set(kind, codes);
    }
    return codes;
  }

  #newCodes(): Int32Array {
    return new Int32Array(this.#capacity).fill(NONE);
  }
}

/** @returns the capacity after `capacity` that has room for the groups 0…groups; it grows by half, because the old and the new sums are in memory together */
export function grownCapacity(capacity: number, groups: number): number {
  return Math.max(Math.ceil(capacity * 1.5), groups + 1);
}

function bitsOf(experiences: readonly Experience[]): number {
  return experiences.reduce((bits, experience) => bits | (1 << EXPERIENCES.indexOf(experience)), 0);
}

function combineEntities(a: number, b: number): number {
  if (a === b || b === NONE) return a;
  return a === NONE ? b : SEVERAL;
}
