import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';

/** Bytes appended to one of very many sequences: the end in memory, what came before in the spill's file. */
export class SpillSequence {
  /** Free bytes begin at `length`. */
  bytes = EMPTY;
  length = 0;
  /** Rows, or whatever the writer counts. */
  count = 0;
  /** Offset and length in the file, of each part that has been written there. */
  readonly extents: number[] = [];
}

const EMPTY = new Uint8Array(0);
const FIRST_BYTES = 256;
const WRITE_BYTES = 8 << 20;

/**
 * Holds far more sequences of bytes than there may be open files, in one temporary file and a bounded buffer: when the buffers together pass
 * `budget`, all of them are appended to the file.
 */
export class Spill {
  readonly #path: string;
  readonly #budget: number;
  readonly #sequences = new Set<SpillSequence>();
  #file: FileHandle | undefined;
  #fileBytes = 0;
  #buffered = 0;

  /** @param directory an existing directory, which the caller removes */
  constructor(directory: string, budget = 128 << 20) {
    this.#path = join(directory, 'spill');
    this.#budget = budget;
  }

  /** Makes room for `bytes` more bytes at the end of the sequence; afterwards the caller writes there and moves `length`. */
  reserve(sequence: SpillSequence, bytes: number): void {
    const needed = sequence.length + bytes;
    const before = sequence.bytes.length;
    if (needed <= before) return;
    const grown = new Uint8Array(Math.max(FIRST_BYTES, before * 2, needed));
    grown.set(sequence.bytes.subarray(0, sequence.length));
    sequence.bytes = grown;
    this.#sequences.add(sequence);
    this.#buffered += grown.length - before;
  }

  /** To be called now and then between writes: moves the buffers to the file when they have become too many. */
  async relieve(): Promise<void> {
    if (this.#buffered <= this.#budget) return;
    this.#file ??= await open(this.#path, 'wx+');
    let batch: Uint8Array[] = [];
    let length = 0;
    for (const sequence of this.#sequences) {
      sequence.extents.push(this.#fileBytes + length, sequence.length);
      batch.push(sequence.bytes.subarray(0, sequence.length));
      length += sequence.length;
      sequence.bytes = EMPTY;
      sequence.length = 0;
      if (length < WRITE_BYTES) continue;
      await this.#append(batch, length);
      batch = [];
      length = 0;
    }
    await this.#append(batch, length);
    this.#sequences.clear();
    this.#buffered = 0;
  }

  /** @returns all bytes of the sequence. */
  async read(sequence: SpillSequence): Promise<Uint8Array> {
    const { extents, bytes, length } = sequence;
    let total = length;
    for (let i = 1; i < extents.length; i += 2) total += extents[i] ?? 0;
    const whole = new Uint8Array(total);
    let at = 0;
    for (let i = 0; i < extents.length; i += 2) {
      const size = extents[i + 1] ?? 0;
      const read = await this.#file?.read(whole, at, size, extents[i]);
      if (read?.bytesRead !== size) throw new Error(`the temporary file ${this.#path} is cut short`);
      at += size;
    }
    whole.set(bytes.subarray(0, length), at);
    return whole;
  }

  async close(): Promise<void> {
    await this.#file?.close();
    this.#file = undefined;
  }

  async #append(parts: readonly Uint8Array[], length: number): Promise<void> {
    if (length === 0 || this.#file === undefined) return;
    const { bytesWritten } = await this.#file.write(Buffer.concat(parts), 0, length, this.#fileBytes);
    if (bytesWritten !== length) throw new Error(`the temporary file ${this.#path} cannot be written on`);
    this.#fileBytes += length;
  }
}
