import { hasRollupKeys } from '../../layout/rollup-keys.ts';
import type { Joins } from '../plan/joins.ts';
import type { RowCondition } from '../plan/plan-report.ts';
import type { ScannedSum } from '../plan/plan-sums.ts';
import type { Unmeasured } from '../plan/unmeasured.ts';
import { Accumulators } from './accumulate.ts';
import { addMeasured } from './add-measured.ts';
import type { AxisCodes } from './axes.ts';
import { RowGrouper } from './group-rows.ts';
import { GroupTable } from './group-table.ts';
import type { Segment } from './segment.ts';
import { selectRows } from './select-rows.ts';

/** Counts the rows that a group may have where days lack keys: those of its date, advertiser, campaign and ad group, whatever the other keys and filters say. */
export class NearRows {
  readonly #sums: readonly ScannedSum[];
  readonly #joins: Joins;
  /** The axes of a report that rows of all days have, by their positions. */
  readonly #axes: ReadonlyMap<number, AxisCodes>;
  readonly #table: GroupTable;
  readonly #grouper: RowGrouper;
  readonly #counts: Accumulators;

  constructor(sums: readonly ScannedSum[], axes: readonly AxisCodes[], joins: Joins) {
    this.#sums = sums;
    this.#joins = joins;
    this.#axes = new Map([...axes.entries()].filter(([, { base }]) => hasRollupKeys([base])));
    this.#table = new GroupTable(this.#axes.size);
    this.#grouper = new RowGrouper([...this.#axes.values()], this.#table, joins);
    this.#counts = new Accumulators(sums.map(({ name }) => name));
  }

  add(sums: readonly ScannedSum[], segment: Segment, all: readonly RowCondition[], unmeasured: Unmeasured): void {
    if (sums.length === 0) return;
    const conditions = all.filter(({ base }) => hasRollupKeys([base]));
    const grouping = this.#grouper.group(segment, selectRows(segment, conditions, this.#joins));
    if (grouping.kind === 'one' && grouping.group === 0) return;
    this.#counts.reserve(this.#table.size);
    addMeasured(this.#counts, sums, grouping, segment, unmeasured);
  }

  /** Sets the counts of all groups of the report. */
  finish(facts: Accumulators, table: GroupTable): void {
    if (this.#sums.length === 0) return;
    this.#counts.finishScan(this.#table.size);
    this.#table.fit([...this.#axes.values()].map(({ size }) => size));
    this.#table.freeze();
    const groups = table.groups();
    const codes = [...this.#axes.keys()].map((axis) => groups.map((group) => table.codeAt(group, axis)));
    const near = this.#table.addKeys(codes, groups.length);
    for (const { name } of this.#sums) {
      const { doubles } = this.#counts.sums(name);
      const ofGroup = Float64Array.from(near, (group) => (group === 0 ? 0 : (doubles[group] ?? 0)));
      facts.setSums(name, Float64Array.of(0, ...ofGroup));
    }
  }
}
