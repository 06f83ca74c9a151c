import { FACT_TABLES } from '../../catalog/tables.ts';
import type { RollupData } from '../../columns/rollup-tables.ts';
import type { BuiltDay } from '../../columns/runs.ts';
import type { FactHead, MonthRef, PartitionRef, RunEntry } from '../../layout/partitions.ts';
import type { CommitWriter } from '../commit/commits.ts';
import { manifestKey } from '../table/item-keys.ts';
import type { ChangedPartition } from './loaded-days.ts';
import { PartitionWriter } from './partition-writer.ts';
import { type StoredRollup, writeRollup } from './stored-rollups.ts';
import { writeFactHeads } from './write-fact-heads.ts';

/** Writes the facts of one load. What it writes becomes visible once `finish` has been called and the load is committed. */
export class FactWriter {
  readonly #writer: CommitWriter;
  /** The partitions that are being written, by the partition key of their manifest. */
  readonly #open = new Map<string, Promise<PartitionWriter>>();
  readonly #changed: ChangedPartition[] = [];
  readonly #rollups: StoredRollup[] = [];

  constructor(writer: CommitWriter) {
    this.#writer = writer;
  }

  /**
   * Replaces one day of the partition. An unchanged day is not written. Call this at most once per day and load.
   * @param day of the month, 1–31
   * @returns 'unchanged' if the stored day has the same content, else 'written'
   * @throws Error if the day was written, or its month closed, before in this load
   */
  async writeDay(ref: PartitionRef, day: number, built: BuiltDay): Promise<'unchanged' | 'written'> {
    return (await this.#openPartition(ref)).writeDay(day, built);
  }

  /** @returns the runs of the partition before the load */
  async runsOf(ref: PartitionRef): Promise<readonly RunEntry[]> {
    return (await this.#openPartition(ref)).runs;
  }

  /**
   * Replaces the rollup of a month. If a load changes facts of a month without writing its rollup, the month no longer has one. Call this at most
   * once per month and load.
   */
  async writeRollup(ref: MonthRef, rollup: RollupData): Promise<void> {
    this.#rollups.push(await writeRollup(this.#writer, ref, rollup));
  }

  /** Writes the manifests of the month, and its days that are still in memory. After this, the load must not write the month again. */
  async closeMonth(ref: MonthRef): Promise<void> {
    for (const table of FACT_TABLES) await this.#close(manifestKey({ ...ref, table }).pk);
  }

  /**
   * Closes all partitions, and writes the fact heads of everything that has changed, and the platform's loaded days. Call this once, at the end of the load.
   * @returns the fact heads of the advertisers that have changed
   */
  async finish(): Promise<ReadonlyMap<number, FactHead>> {
    for (const pk of [...this.#open.keys()]) await this.#close(pk);
    await this.#writer.flush();
    const heads = await writeFactHeads(this.#writer, { partitions: this.#changed, rollups: this.#rollups });
    await this.#writer.flush();
    return heads;
  }

  #openPartition(ref: PartitionRef): Promise<PartitionWriter> {
    const key = manifestKey(ref);
    const open = this.#open.get(key.pk);
    if (open !== undefined) return open;
    this.#writer.claim(key);
    const opening = this.#writer.readHead(key).then((stored) => new PartitionWriter(this.#writer, ref, stored));
    this.#open.set(key.pk, opening);
    return opening;
  }

  async #close(pk: string): Promise<void> {
    const partition = await this.#open.get(pk);
    if (partition === undefined) return;
    this.#open.delete(pk);
    const changed = await partition.close();
    if (changed !== undefined) this.#changed.push(changed);
  }
}
