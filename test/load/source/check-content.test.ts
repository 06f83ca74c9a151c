import { readRleBitPackedHybrid } from 'hyparquet/src/encoding.js';
import { describe, expect, test } from 'vitest';
import { ContentReader } from '../../../shared/load/source/check-content.ts';
import { type Random, randomFrom } from '../../oracle/random/random.ts';
import { varint } from './parquet-pages.ts';

const MAX_WIDTH = 32;
/** The library misreads bit-packed values of more bits. */
const MAX_READ_WIDTH = 24;
/** How many values beyond the requested ones the check allows the library to read. */
const MAX_PADDING = 4096;
/** The header of a run of 100,000 values: if the library reads such a run and the check does not, the library returns far too many values. */
const LARGE_RUN = 2 * 100_000;

/** A reader for the library, which sets the offset to the end of the bytes when it has read all values. */
class TracedReader {
  readonly view: DataView<ArrayBuffer>;
  #offset = 0;
  /** The offset before it was last set. */
  end = 0;

  constructor(bytes: Uint8Array<ArrayBuffer>) {
    this.view = new DataView(bytes.buffer);
  }

  get offset(): number {
    return this.#offset;
  }

  set offset(value: number) {
    this.end = this.#offset;
    this.#offset = value;
  }
}

/** @returns how many values the library writes, and where it ends; undefined if it rejects the bytes */
function readByLibrary(bytes: Uint8Array<ArrayBuffer>, width: number, count: number) {
  const reader = new TracedReader(bytes);
  const output = new Array<number>(count);
  try {
    readRleBitPackedHybrid(reader, width, output, bytes.length);
  } catch (error) {
    expect(error).toBeInstanceOf(Error);
    return undefined;
  }
  return { values: output.length, end: reader.end };
}

/** @returns where the check ends; undefined if it rejects the bytes */
function check(bytes: Uint8Array<ArrayBuffer>, width: number, count: number): number | undefined {
  const reader = new ContentReader(bytes);
  try {
    reader.runs(width, count);
  } catch (error) {
    expect(String(error)).toContain('parquet page');
    return undefined;
  }
  return reader.offset;
}

/** Runs with all their bytes. */
function validRuns(random: Random, width: number): { bytes: number[]; values: number } {
  const bytes: number[] = [];
  let values = 0;
  for (let runs = 1 + random.int(4); runs > 0; runs--) {
    const header = random.pick([2, 3, 5, 2 + random.int(78)]);
    const isPacked = header % 2 === 1;
    const length = isPacked ? ((header - 1) / 2) * width : Math.ceil(width / 8);
    bytes.push(...varint(header), ...Array.from({ length }, () => random.int(256)));
    values += isPacked ? 4 * (header - 1) : header / 2;
  }
  return { bytes, values };
}

/** Bytes of which every one may be a header or a value. */
function anyBytes(random: Random): number[] {
  return Array.from({ length: 1 + random.int(7) }, () => {
    const header = random.pick([0, 1, 2, 3, 16, LARGE_RUN, LARGE_RUN + 1, random.int(256)]);
    return [...varint(header)];
  }).flat();
}

const widths = Array.from({ length: MAX_WIDTH + 1 }, (_, width) => width);

describe('the check of runs and the library', () => {
  test.each(widths)('end at the same offset after all values of valid runs of %i bits', (width) => {
    const random = randomFrom(width);
    for (let i = 0; i < 200; i++) {
      const { bytes, values } = validRuns(random, width);
      const stream = Uint8Array.from([...bytes, 0, 0, 0]);
      const end = check(stream, width, values);
      // bit-packed runs of no bits are accepted as the last ones only
      if (width > 0) expect(end).toBe(width > MAX_READ_WIDTH ? undefined : bytes.length);
      if (end === undefined) continue;
      const read = readByLibrary(stream, width, values);
      expect(read).toEqual({ values, end: width > 0 ? end : read?.end });
    }
  });

  test.each(widths)('find the same runs of %i bits, whatever the bytes are', (width) => {
    const random = randomFrom(width);
    let accepted = 0;
    for (let i = 0; i < 2_000; i++) {
      const stream = Uint8Array.from(anyBytes(random));
      const count = 1 + random.int(19);
      const end = check(stream, width, count);
      if (end === undefined) continue;
      accepted++;
      const read = readByLibrary(stream, width, count);
      // the last run may go on beyond the values, and the library reads it whole
      expect(read?.end ?? end, `${stream} of ${count}`).toBeGreaterThanOrEqual(end);
      expect(read?.values ?? count, `${stream} of ${count}`).toBeLessThanOrEqual(count + MAX_PADDING);
    }
    expect(accepted > 0).toBe(width <= MAX_READ_WIDTH);
  });
});
