import type { SegmentSource } from '../../catalog/segment-reads.ts';
import { SHOPPER_BANDS } from '../../columns/column.ts';
import type { ReadPlan } from '../plan/plan-reads.ts';
import type { TableScan } from '../plan/plan-report.ts';
import type { Memory } from '../query/too-expensive.ts';
import type { Accumulators } from './accumulate.ts';
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
  readonly #groupings = new Map<string, Grouping>();
  readonly #memory: Memory;

  /** @param first the bands that are read during the scan */
  constructor(facts: Accumulators, first: ReadPlan['shopperBands'], scans: readonly TableScan[], memory: Memory) {
    this.#facts = facts;
    this.#memory = memory;
    this.#first = first;
    const below = first.at(-1)?.to ?? 0;
    for (const { table, shoppers } of scans) if (shoppers) facts.openBand(table, below);
  }

  /** Adds the first bands of the segment's shoppers. */
  add(scan: TableScan, segment: Segment, grouping: Grouping): void {
    if (!scan.shoppers) return;
    for (const { column } of this.#first) this.#facts.addShoppers(scan.table, grouping, segment.shoppers(column));
    if (this.#first.length === SHOPPER_BANDS.length) return;
    if (grouping.kind === 'rows') this.#memory.take(grouping.groups.byteLength);
    this.#groupings.set(
      segment.key,
      grouping.kind === 'one' ? grouping : { kind: 'rows', groups: grouping.groups.slice() },
    );
  }

  /** Reads further bands as long as the estimate of any group depends on them. */
  async finish(source: SegmentSource, reads: ReadPlan, scans: readonly TableScan[], groups: number): Promise<void> {
    for (const { column, to } of SHOPPER_BANDS.slice(this.#first.length)) {
      const unsettled = scans.filter((scan) => scan.shoppers && !this.#facts.isSettled(scan.table, groups));
      for (const { table } of unsettled) this.#facts.openBand(table, to);
      for (const { scan, partitions } of reads.days) {
        if (!unsettled.includes(scan)) continue;
        const band = partitions.map((read) => ({ ...read, columns: [column] }));
        for await (const run of readRunSegments(source, band)) this.#addBand(scan, run, column);
      }
      const rollups = reads.rollups.flatMap((read) => {
        const ofBand = read.scans.filter((scan) => unsettled.includes(scan));
        const columns = ofBand.map(({ table }) => `${table}/${column}`);
        return ofBand.length === 0 ? [] : [{ ...read, scans: ofBand, columns }];
      });
      for await (const { scan, segment } of readRollups(source, rollups)) this.#addBand(scan, segment, column);
    }
  }

  #addBand(scan: TableScan, segment: Segment, column: string): void {
    const grouping = this.#groupings.get(segment.key);
    if (grouping !== undefined) this.#facts.addShoppers(scan.table, grouping, segment.shoppers(column));
  }
}
