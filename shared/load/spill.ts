import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';

/** Bytes appended to one of very many sequences. */
export class SpillSequence {
  /** Of all its bytes. */
  length = 0;
  /** Rows, or whatever the writer counts. */
  count = 0;
  /** Offset and length in the file, of each part that has been written there: what came first. */
  readonly extents: number[] = [];
  /** Index of the buffer, begin and end in it, of each part that is still in memory. */
  held: number[] = [];
}

const WRITE_BYTES = 8 << 20;
/** What a part in memory takes beside its bytes. */
const PART_BYTES = 32;

/**
 * Holds far more sequences of bytes than there may be open files, in one temporary file and a bounded part of memory: when what is held passes `budget`,
 * all of it is appended to the file, sequence by sequence.
 */
export class Spill {
  readonly #path: string;
  readonly #budget: number;
  readonly #buffers: Uint8Array[] = [];
  readonly #sequences = new Set<SpillSequence>();
  #file: FileHandle | undefined;
  #fileBytes = 0;
  #held = 0;

  /** @param directory an existing directory, which the caller removes */
  constructor(directory: string, budget = 128 << 20) {
    this.#path = join(directory, 'spill');
    this.#budget = budget;
  }

  /**
   * Appends bytes [from, to) of a buffer to the sequence. They are not copied: the buffer must not change any more. Parts of one buffer are appended
   * one after another, so that it is held only once.
   */
  append(sequence: SpillSequence, buffer: Uint8Array, from: number, to: number): void {
    if (this.#buffers.at(-1) !== buffer) {
      this.#buffers.push(buffer);
      this.#held += buffer.length;
    }
    sequence.held.push(this.#buffers.length - 1, from, to);
    sequence.length += to - from;
    this.#held += PART_BYTES;
    this.#sequences.add(sequence);
  }

  /** To be called now and then between buffers: moves what is held to the file when it has become too much. */
  async relieve(): Promise<void> {
    if (this.#held <= this.#budget) return;
    this.#file ??= await open(this.#path, 'wx+');
    let batch: Uint8Array[] = [];
    let length = 0;
    for (const sequence of this.#sequences) {
      const offset = this.#fileBytes + length;
      for (const part of this.#heldParts(sequence)) {
        batch.push(part);
        length += part.length;
      }
      sequence.extents.push(offset, this.#fileBytes + length - offset);
      sequence.held = [];
      if (length < WRITE_BYTES) continue;
      await this.#write(batch, length);
      batch = [];
      length = 0;
    }
    await this.#write(batch, length);
    this.#sequences.clear();
    this.#buffers.length = 0;
    this.#held = 0;
  }

  /** @returns all bytes of the sequences, one after another, in a buffer of their own. */
  async read(sequences: readonly SpillSequence[]): Promise<Uint8Array<ArrayBuffer>> {
    const whole = new Uint8Array(sequences.reduce((sum, it) => sum + it.length, 0));
    let at = 0;
    for (const sequence of sequences) {
      const { extents } = sequence;
      for (let i = 0; i < extents.length; i += 2) {
        const size = extents[i + 1] ?? 0;
        const read = await this.#file?.read(whole, at, size, extents[i]);
        if (read?.bytesRead !== size) throw new Error(`the temporary file ${this.#path} is cut short`);
        at += size;
      }
      for (const part of this.#heldParts(sequence)) {
        whole.set(part, at);
        at += part.length;
      }
    }
    return whole;
  }

  async close(): Promise<void> {
    await this.#file?.close();
    this.#file = undefined;
  }

  *#heldParts({ held }: SpillSequence): Generator<Uint8Array> {
    for (let i = 0; i < held.length; i += 3) {
      yield this.#buffers[held[i] ?? 0]?.subarray(held[i + 1], held[i + 2]) ?? new Uint8Array(0);
    }
  }

  async #write(parts: readonly Uint8Array[], length: number): Promise<void> {
    if (length === 0 || this.#file === undefined) return;
    const { bytesWritten } = await this.#file.writev(parts, this.#fileBytes);
    if (bytesWritten !== length) throw new Error(`the temporary file ${this.#path} cannot be written on`);
    this.#fileBytes += length;
  }
}
