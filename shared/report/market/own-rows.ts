import type { MeasureData } from '../../columns/column.ts';
import { Accumulators } from '../scan/accumulate.ts';
import { enlarge } from './own-cells.ts';

/** Memory of a row's group, cell and impressions. */
const ROW_BYTES = 16;

/** The report's own rows with impressions: the group and the cell of each. */
export class OwnRows {
  #groups = new Uint32Array(1024);
  #cells = new Uint32Array(1024);
  #impressions = new Float64Array(1024);
  #length = 0;

  /** The memory of the rows. */
  get bytes(): number {
    return this.#length * ROW_BYTES;
  }

  add(group: number, cell: number, impressions: number): void {
    if (this.#length === this.#groups.length) this.#grow();
    this.#groups[this.#length] = group;
    this.#cells[this.#length] = cell;
    this.#impressions[this.#length] = impressions;
    this.#length++;
  }

  /**
   * @param counted by cell, 1 where the market counts
   * @param groupCount the number of groups, which are 1…groupCount
   * @returns the impressions of each group in the cells that count; group 0 has all others
   */
  sum(counted: Uint8Array, groupCount: number): Accumulators {
    const sums = new Accumulators(['impressions']);
    sums.reserve(groupCount);
    const values = this.#impressions.subarray(0, this.#length);
    const cells = this.#cells;
    const groups = this.#groups.subarray(0, this.#length).map((group, row) => group * (counted[cells[row] ?? 0] ?? 0));
    const size = values.reduce((total, value) => total + value, 0);
    const impressions: MeasureData = { kind: 'values', rows: values.length, size, values };
    const part = { rows: values.length, measure: () => impressions, sumOf: () => size };
    sums.addMeasures([{ name: 'impressions', measure: 'impressions' }], { kind: 'rows', groups }, part);
    sums.finishScan(groupCount);
    return sums;
  }

  #grow(): void {
    const capacity = 2 * this.#groups.length;
    this.#groups = enlarge(this.#groups, capacity);
    this.#cells = enlarge(this.#cells, capacity);
    this.#impressions = enlarge(this.#impressions, capacity);
  }
}
