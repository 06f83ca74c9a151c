import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import type { DayColumn, Experience, FactTable } from '../../catalog/tables.ts';
import { joinPieces } from '../../lib/join-pieces.ts';
import type { FactBlocks } from './sort-facts.ts';

/** One of the many sequences of bytes that a `Spill` holds, with the number of rows in its blocks. */
export class SpillSequence {
  rows = 0;
  /** Consecutive rows of one file, which is a number, all or none of them with an hour. */
  readonly runs: { readonly file: number; readonly hasHours: boolean; rows: number }[] = [];
  /** Offsets and lengths, in turn, of its ranges in the file. They come before `parts`. */
  readonly extents: number[] = [];
  /** The parts that are still in memory. */
  parts: Uint8Array[] = [];
}

/** A day of a fact table of an advertiser (`PLATFORM_ID` for market): the unit that a load replaces. */
export interface DayPartition {
  readonly advertiserId: number;
  readonly experience: Experience;
  readonly table: FactTable;
  /** Day number. */
  readonly day: number;
  /** Blocks of rows, as `BlockWriter` writes them. */
  readonly sequence: SpillSequence;
  /** A bit for each of `factColumns` that has a value in some row. */
  valued: bigint;
  /** The columns that no file with rows of the day has, or that are empty in all rows of the day, of whatever advertiser. */
  unmeasured: readonly DayColumn[];
}

/** Estimated overhead of a part in memory, in bytes. */
const PART_BYTES = 160;

/**
 * Holds more sequences of bytes than there may be open files, in one temporary file and a bounded part of memory: when the parts in memory exceed
 * `budget`, all of them are appended to the file, sequence by sequence.
 */
export class Spill {
  readonly #path: string;
  readonly #budget: number;
  readonly #sequences = new Set<SpillSequence>();
  #file: FileHandle | undefined;
  #fileBytes = 0;
  #heldBytes = 0;

  /**
   * @param directory an existing directory, which the caller removes
   * @param budget bytes of parts in memory
   */
  constructor(directory: string, budget = 128 << 20) {
    this.#path = join(directory, 'spill');
    this.#budget = budget;
  }

  /** Appends a part to the sequence. The bytes are not copied, and must no longer change. */
  append(sequence: SpillSequence, part: Uint8Array): void {
    sequence.parts.push(part);
    this.#heldBytes += part.length + PART_BYTES;
    this.#sequences.add(sequence);
  }

  /** Moves all parts from memory to the file if they exceed the budget. Call it regularly. */
  async flushIfFull(): Promise<void> {
    if (this.#heldBytes <= this.#budget) return;
    const parts: Uint8Array[] = [];
    let end = this.#fileBytes;
    for (const sequence of this.#sequences) {
      const start = end;
      for (const part of sequence.parts) {
        parts.push(part);
        end += part.length;
      }
      sequence.extents.push(start, end - start);
      sequence.parts = [];
    }
    await this.#write(parts, end - this.#fileBytes);
    this.#sequences.clear();
    this.#heldBytes = 0;
  }

  /** @returns all bytes of the sequence */
  async read({ extents, parts }: SpillSequence): Promise<Uint8Array> {
    const read: Uint8Array[] = [];
    for (let i = 0; i < extents.length; i += 2) {
      const bytes = new Uint8Array(extents[i + 1] ?? 0);
      const outcome = await this.#file?.read(bytes, 0, bytes.length, extents[i]);
      if (outcome?.bytesRead !== bytes.length) throw new Error(`the temporary file ${this.#path} is truncated`);
      read.push(bytes);
    }
    return joinPieces([...read, ...parts]);
  }

  async close(): Promise<void> {
    await this.#file?.close();
    this.#file = undefined;
  }

  async #write(parts: readonly Uint8Array[], length: number): Promise<void> {
    this.#file ??= await open(this.#path, 'wx+');
    const { bytesWritten } = await this.#file.writev(parts, this.#fileBytes);
    if (bytesWritten !== length)
      throw Object.assign(new Error(`the disk of ${this.#path} is full`), { code: 'ENOSPC' });
    this.#fileBytes += length;
  }
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

  /** Appends each block to its day. @param file the number of the file that the rows are from */
  async add({ blocks, bytes, hasHours }: FactBlocks, file: number, spill: Spill): Promise<void> {
    let from = 0;
    for (const { advertiserId, day, rows, valued, end } of blocks) {
      const partition = this.#partitionOf(advertiserId, day);
      const { sequence } = partition;
      partition.valued |= valued;
      spill.append(sequence, bytes.subarray(from, end));
      sequence.rows += rows;
      const run = sequence.runs.at(-1);
      if (run?.file === file && run.hasHours === hasHours) run.rows += rows;
      else sequence.runs.push({ file, hasHours, rows });
      from = end;
    }
    await spill.flushIfFull();
  }

  /** @returns the days, by advertiser and then by day. */
  days(): DayPartition[] {
    const days = [...this.#partitions.values()].flatMap((ofAdvertiser) => [...ofAdvertiser.values()]);
    return days.sort((a, b) => a.advertiserId - b.advertiserId || a.day - b.day);
  }

  has(advertiserId: number, day: number): boolean {
    return this.#partitions.get(advertiserId)?.has(day) ?? false;
  }

  /** @returns the days of all advertisers */
  dayNumbers(): Set<number> {
    return new Set([...this.#partitions.values()].flatMap((ofAdvertiser) => [...ofAdvertiser.keys()]));
  }

  #partitionOf(advertiserId: number, day: number): DayPartition {
    const days = this.#partitions.get(advertiserId) ?? new Map<number, DayPartition>();
    this.#partitions.set(advertiserId, days);
    const ref = { advertiserId, experience: this.#experience, table: this.#table };
    const partition = days.get(day) ?? { ...ref, day, sequence: new SpillSequence(), valued: 0n, unmeasured: [] };
    days.set(day, partition);
    return partition;
  }
}
