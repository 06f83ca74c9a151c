import type { MeasureData } from '../../columns/column.ts';
import type { Memory } from '../query/too-expensive.ts';
import { Accumulators } from '../scan/accumulate.ts';

/** The report's own rows with impressions: the group and the cell of each. */
export class OwnRows {
  readonly #groups: number[] = [];
  readonly #cells: number[] = [];
  readonly #impressions: number[] = [];

  readonly #memory: Memory;

  constructor(memory: Memory) {
    this.#memory = memory;
  }

  add(group: number, cell: number, impressions: number): void {
    this.#memory.take(3 * Float64Array.BYTES_PER_ELEMENT);
    this.#groups.push(group);
    this.#cells.push(cell);
    this.#impressions.push(impressions);
  }

  /**
   * @param counted by cell, 1 where the market counts
   * @param groupCount the number of groups, which are 1…groupCount
   * @returns the impressions of each group in the cells that count; group 0 has all others
   */
  sum(counted: Uint8Array, groupCount: number): Accumulators {
    const sums = new Accumulators(['impressions']);
    sums.reserve(groupCount);
    const groups = Uint32Array.from(this.#groups, (group, row) => group * (counted[this.#cells[row] ?? 0] ?? 0));
    const values = Float64Array.from(this.#impressions);
    const size = values.reduce((total, value) => total + value, 0);
    const impressions: MeasureData = { kind: 'values', rows: values.length, size, values };
    const part = { rows: values.length, measure: () => impressions, sumOf: () => size };
    sums.addMeasures([{ name: 'impressions', measure: 'impressions' }], { kind: 'rows', groups }, part);
    sums.finishScan(groupCount);
    return sums;
  }
}
