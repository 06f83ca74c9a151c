import { SHOPPER_BANDS } from '../../columns/column.ts';
import type { SegmentSource } from '../../layout/segment-reads.ts';
import type { ReadPlan } from '../plan/plan-reads.ts';
import type { TableScan } from '../plan/plan-report.ts';
import type { Unmeasured } from '../plan/unmeasured.ts';
import type { Accumulators, ShopperSet } from './accumulate.ts';
import { keepDates } from './add-measured.ts';
import type { Grouping } from './group-rows.ts';
import { readRollups } from './read-rollups.ts';
import { readRunSegments } from './read-segments.ts';
import type { Segment } from './segment.ts';

/**
 * Counts the distinct shoppers of each group, one band of hashes after the other. The first band has a sixteenth of all shoppers. Where every group has
 * at least 4,096 shoppers in it, the estimates depend on no other band, and fifteen sixteenths of the bytes are not read.
 */
export class ShopperCounter {
  readonly #facts: Accumulators;
  readonly #first: ReadPlan['shopperBands'];
  /** The grouping of each segment, by which further bands are added. */
  readonly #groupings = new Map<string, ReadonlyMap<ShopperSet, Grouping>>();
  readonly #unmeasured: Unmeasured;

  /** @param first the bands that are read during the scan */
  constructor(
    facts: Accumulators,
    first: ReadPlan['shopperBands'],
    scans: readonly TableScan[],
    unmeasured: Unmeasured,
  ) {
    this.#unmeasured = unmeasured;
    this.#facts = facts;
    this.#first = first;
    const below = first.at(-1)?.to ?? 0;
    for (const set of scans.flatMap(setsOf)) facts.openBand(set, below);
  }

  /** Adds the first bands of the segment's shoppers. */
  add(scan: TableScan, segment: Segment, grouping: Grouping): void {
    if (!scan.shoppers) return;
    const groupings = new Map<ShopperSet, Grouping>([[scan.table, grouping]]);
    const { shoppersOnDaysWith } = scan;
    if (shoppersOnDaysWith !== undefined) {
      const lacking = this.#unmeasured.datesOf(segment.advertiserId, segment.experience, shoppersOnDaysWith);
      const own = keepDates(grouping, segment, (date) => lacking?.has(date) !== true);
      if (own !== undefined) groupings.set(`${scan.table} on days with ${shoppersOnDaysWith}`, own);
    }
    for (const { column } of this.#first) this.#addTo(groupings, segment, column);
    if (this.#first.length === SHOPPER_BANDS.length) return;
    const kept = [...groupings].map(([set, own]): [ShopperSet, Grouping] => {
      return [set, own.kind === 'one' ? own : { kind: 'rows', groups: own.groups.slice() }];
    });
    this.#groupings.set(segment.key, new Map(kept));
  }

  /** Reads further bands as long as the estimate of any group depends on them. */
  async finish(source: SegmentSource, reads: ReadPlan, scans: readonly TableScan[], groups: number): Promise<void> {
    for (const { column, to } of SHOPPER_BANDS.slice(this.#first.length)) {
      const unsettled = scans.filter((scan) => setsOf(scan).some((set) => !this.#facts.isSettled(set, groups)));
      for (const set of unsettled.flatMap(setsOf)) this.#facts.openBand(set, to);
      for (const { scan, partitions } of reads.days) {
        if (!unsettled.includes(scan)) continue;
        const band = partitions.map((read) => ({ ...read, columns: [column] }));
        for await (const run of readRunSegments(source, band)) this.#addBand(run, column);
      }
      const rollups = reads.rollups.flatMap((read) => {
        const ofBand = read.scans.filter((scan) => unsettled.includes(scan));
        const columns = ofBand.map(({ table }) => `${table}/${column}`);
        return ofBand.length === 0 ? [] : [{ ...read, scans: ofBand, columns }];
      });
      for await (const { segment } of readRollups(source, rollups)) this.#addBand(segment, column);
    }
  }

  #addBand(segment: Segment, column: string): void {
    const groupings = this.#groupings.get(segment.key);
    if (groupings !== undefined) this.#addTo(groupings, segment, column);
  }

  #addTo(groupings: ReadonlyMap<ShopperSet, Grouping>, segment: Segment, column: string): void {
    const shoppers = segment.shoppers(column);
    for (const [set, grouping] of groupings) this.#facts.addShoppers(set, grouping, shoppers);
  }
}

/** @returns the sets of shoppers that the scan counts */
export function setsOf({ table, shoppers, shoppersOnDaysWith }: TableScan): ShopperSet[] {
  if (!shoppers) return [];
  return shoppersOnDaysWith === undefined ? [table] : [table, `${table} on days with ${shoppersOnDaysWith}`];
}
