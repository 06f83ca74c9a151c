import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { PLATFORM_ID } from '../../catalog/partitions.ts';
import type { Experience, FactTable } from '../../catalog/tables.ts';
import { formatDay } from '../../lib/calendar.ts';
import { joinPieces } from '../../lib/join-pieces.ts';
import type { FactBlocks } from '../code/sort-facts.ts';

/** One of the many sequences of bytes that a `Spill` holds, with counts of what its blocks contain. */
export class SpillSequence {
  rows = 0;
  /** Shopper ids of all rows. */
  users = 0;
  /** UTF-16 code units of the distinct texts of each block, added up. */
  textUnits = 0;
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
}

/**
 * Limits of a day: a small Parquet file may have any number of equal rows, a small gzip file long texts, and all of a day is in memory together. At the
 * limits of rows and shopper ids, with all columns, a load takes 2.6 GB, and at the limit of texts 1.1 GB; the ingestion has 3,008 MB.
 */
const DAY_LIMITS = { rows: 5_000_000, users: 5_000_000, textUnits: 64_000_000 } as const;

/** @returns how much of the memory for days the day takes: 1 = all of it */
export function shareOfMemory({ rows, users, textUnits }: SpillSequence): number {
  return Math.max(rows / DAY_LIMITS.rows, users / DAY_LIMITS.users, textUnits / DAY_LIMITS.textUnits);
}

/** Limit of the days of all tables and advertisers in a folder, each of which takes about 400 bytes of memory whatever is in the file. */
const MAX_DAYS = 1_000_000;

/** A write to the file has at least this many bytes, except the last one of a flush. */
const WRITE_BYTES = 8 << 20;
/** Estimated overhead of a part in memory, in bytes. */
const PART_BYTES = 160;

/**
 * Holds more sequences of bytes than there may be open files, in one temporary file and a bounded part of memory: when the parts in memory exceed
 * `budget`, all of them are appended to the file, sequence by sequence.
 */
export class Spill {
  /** How many sequences were opened. */
  sequenceCount = 0;
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

  openSequence(): SpillSequence {
    this.sequenceCount += 1;
    return new SpillSequence();
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
    let batch: Uint8Array[] = [];
    let length = 0;
    for (const sequence of this.#sequences) {
      const offset = this.#fileBytes + length;
      for (const part of sequence.parts) {
        batch.push(part);
        length += part.length;
      }
      sequence.extents.push(offset, this.#fileBytes + length - offset);
      sequence.parts = [];
      if (length < WRITE_BYTES) continue;
      await this.#write(batch, length);
      batch = [];
      length = 0;
    }
    await this.#write(batch, length);
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
    if (length === 0) return;
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

  /** Appends each block to its day, up to the first that exceeds a limit. @returns the reason for the rejection; undefined while the days are within the limits */
  async add({ blocks, bytes }: FactBlocks, spill: Spill): Promise<string | undefined> {
    let from = 0;
    for (const { advertiserId, day, rows, users, textUnits, end } of blocks) {
      const { sequence } = this.#partitionOf(advertiserId, day, spill);
      spill.append(sequence, bytes.subarray(from, end));
      sequence.rows += rows;
      sequence.users += users;
      sequence.textUnits += textUnits;
      if (shareOfMemory(sequence) > 1) return explainLimit(advertiserId, day);
      from = end;
    }
    if (spill.sequenceCount > MAX_DAYS) {
      const days = MAX_DAYS.toLocaleString('en-US');
      return `a folder may have at most ${days} days of facts, counted for each advertiser, experience and table`;
    }
    await spill.flushIfFull();
    return undefined;
  }

  /** @returns the days, by advertiser and then by day. */
  days(): DayPartition[] {
    const days = [...this.#partitions.values()].flatMap((ofAdvertiser) => [...ofAdvertiser.values()]);
    return days.sort((a, b) => a.advertiserId - b.advertiserId || a.day - b.day);
  }

  #partitionOf(advertiserId: number, day: number, spill: Spill): DayPartition {
    const days = this.#partitions.get(advertiserId) ?? new Map<number, DayPartition>();
    this.#partitions.set(advertiserId, days);
    const ref = { advertiserId, experience: this.#experience, table: this.#table };
    const partition = days.get(day) ?? { ...ref, day, sequence: spill.openSequence() };
    days.set(day, partition);
    return partition;
  }
}

function explainLimit(advertiserId: number, day: number): string {
  const owner = advertiserId === PLATFORM_ID ? 'the platform' : `advertiser ${advertiserId}`;
  const [rows, users, textUnits] = Object.values(DAY_LIMITS).map((limit) => limit.toLocaleString('en-US'));
  const limits = `${rows} rows, ${users} shopper ids and ${textUnits} UTF-16 code units of distinct texts`;
  return `a folder may have at most ${limits} of a day, and has more of ${owner} on ${formatDay(day)}`;
}
