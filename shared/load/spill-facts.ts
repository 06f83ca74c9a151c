import type { Experience, FactTable } from '../catalog/tables.ts';
import type { FactBlocks } from './sort-facts.ts';
import { type Spill, SpillSequence } from './spill.ts';

/** A day of a fact table of an advertiser (0 for market): the unit that a load replaces. */
export interface DayPartition {
  readonly advertiserId: number;
  readonly experience: Experience;
  readonly table: FactTable;
  /** Day number. */
  readonly day: number;
  /** Blocks of rows, as `writeBlock` writes them. */
  readonly sequence: SpillSequence;
}

/** The rows of one fact table of one experience, by day. */
export class FactPartitions {
  readonly #experience: Experience;
  readonly #table: FactTable;
  /** By advertiser and day number. */
  readonly #partitions = new Map<number, Map<number, DayPartition>>();

  constructor(experience: Experience, table: FactTable) {
    this.#experience = experience;
    this.#table = table;
  }

  /** Appends each block to its day. The bytes are the spill's from now on. */
  async add({ advertisers, days, counts, ends, bytes }: FactBlocks, spill: Spill): Promise<void> {
    let from = 0;
    for (const [block, to] of ends.entries()) {
      const { sequence } = this.#partitionOf(advertisers[block] ?? 0, days[block] ?? 0);
      spill.append(sequence, bytes, from, to);
      sequence.count += counts[block] ?? 0;
      from = to;
    }
    await spill.relieve();
  }

  /** @returns the days, by advertiser and then by day. */
  days(): DayPartition[] {
    const days = [...this.#partitions.values()].flatMap((ofAdvertiser) => [...ofAdvertiser.values()]);
    return days.sort((a, b) => a.advertiserId - b.advertiserId || a.day - b.day);
  }

  #partitionOf(advertiserId: number, day: number): DayPartition {
    let days = this.#partitions.get(advertiserId);
    if (days === undefined) {
      days = new Map();
      this.#partitions.set(advertiserId, days);
    }
    let partition = days.get(day);
    if (partition === undefined) {
      const ref = { advertiserId, experience: this.#experience, table: this.#table };
      partition = { ...ref, day, sequence: new SpillSequence() };
      days.set(day, partition);
    }
    return partition;
  }
}
