import type { SegmentSource } from '../../catalog/segment-source.ts';
import { USER_BANDS } from '../../columns/column.ts';
import type { TableScan } from '../plan/plan-report.ts';
import type { Reads, UserBand } from '../plan/reads.ts';
import type { Accumulators } from './accumulate.ts';
import type { Grouping } from './group-rows.ts';
import { readCubes } from './read-rollups.ts';
import { readPartitions } from './read-segments.ts';
import type { Segment } from './segment.ts';

/**
 * Counts the distinct users of the groups, band by band of their hashes. Of many users the first band is a sixteenth: where that already
 * settles every group's estimate (4,096 users of it in the band), the others, fifteen sixteenths of the bytes, are not read.
 */
export class UserCounter {
  readonly #facts: Accumulators;
  readonly #first: readonly UserBand[];
  /** The grouping of each segment, to add further bands by. */
  readonly #groupings = new Map<string, Grouping>();

  constructor(facts: Accumulators, first: readonly UserBand[], scans: readonly TableScan[]) {
    this.#facts = facts;
    this.#first = first;
    const below = first.at(-1)?.to ?? 0;
    for (const { table, users } of scans) if (users) facts.openBand(table, below);
  }

  /** Adds the first bands of the segment's users. */
  add(scan: TableScan, segment: Segment, grouping: Grouping): void {
    if (!scan.users) return;
    for (const { column } of this.#first) this.#facts.addUsers(scan.table, grouping, segment.users(column));
    if (this.#first.length === USER_BANDS.length) return;
    this.#groupings.set(
      segment.key,
      grouping.kind === 'one' ? grouping : { kind: 'rows', groups: grouping.groups.slice() },
    );
  }

  /** Reads further bands as long as a group's count depends on them. */
  async finish(source: SegmentSource, reads: Reads, scans: readonly TableScan[], groups: number): Promise<void> {
    for (const { column, to } of USER_BANDS.slice(this.#first.length)) {
      const unsettled = scans.filter((scan) => scan.users && !this.#facts.isSettled(scan.table, groups));
      for (const { table } of unsettled) this.#facts.openBand(table, to);
      for (const { scan, partitions } of reads.days) {
        if (!unsettled.includes(scan)) continue;
        const band = partitions.map((it) => ({ ...it, columns: [column] }));
        for await (const day of readPartitions(source, band)) this.#addBand(scan, day, column);
      }
      const rolledUp = reads.rolledUp.filter((scan) => unsettled.includes(scan));
      if (rolledUp.length === 0) continue;
      const cubes = rolledUp.map((it) => it.table).filter((it) => it !== 'market');
      const users = rolledUp.map(({ table }) => `${table}/${column}`);
      for await (const { cube, segment } of readCubes(source, reads.rollups, cubes, users)) {
        const scan = rolledUp.find((it) => it.table === cube);
        if (scan !== undefined) this.#addBand(scan, segment, column);
      }
    }
  }

  #addBand(scan: TableScan, segment: Segment, column: string): void {
    const grouping = this.#groupings.get(segment.key);
    if (grouping !== undefined) this.#facts.addUsers(scan.table, grouping, segment.users(column));
  }
}
