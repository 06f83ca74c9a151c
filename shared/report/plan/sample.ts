import type { FactHead, PartitionRef } from '../../layout/partitions.ts';
import { HEADS_PER_READ } from './read-heads.ts';

/** The partitions of a table whose manifests an estimate reads, if there are more than HEADS_PER_READ; half of them are the largest. */
const SAMPLED = 64;

/** Chooses partitions that stand for others, so that estimating a report over thousands of them reads few manifests. */
export class Sample {
  readonly #heads: ReadonlyMap<number, FactHead>;
  /** The number of partitions that others stand for. */
  unread = 0;

  constructor(heads: ReadonlyMap<number, FactHead>) {
    this.#heads = heads;
  }

  /**
   * @returns for each of the partitions, one that stands for it. The largest, by the rollups of their months, stand for themselves, so that one large
   * advertiser neither is missed nor stands for small ones. Of the others, in order of size, each of a few stands for its neighbours.
   */
  choose(refs: readonly PartitionRef[]): readonly PartitionRef[] {
    if (refs.length <= HEADS_PER_READ) return refs;
    this.unread += refs.length - SAMPLED;
    const sizes = new Map(refs.map((ref) => [ref, this.#sizeOf(ref)]));
    const sorted = refs.toSorted((a, b) => Number(sizes.get(b)) - Number(sizes.get(a)));
    const exact = SAMPLED / 2;
    const step = (sorted.length - exact) / (SAMPLED - exact);
    const middleOf = (i: number) => exact + Math.floor((Math.floor((i - exact) / step) + 0.5) * step);
    return sorted.map((ref, i) => (i < exact ? ref : (sorted[middleOf(i)] ?? ref)));
  }

  #sizeOf({ advertiserId, experience, table, month }: PartitionRef): number {
    return this.#heads.get(advertiserId)?.rollups?.get(experience)?.get(month)?.rows.get(table) ?? 0;
  }
}
