import { zstdDecompressSync } from 'node:zlib';
import { describe, expect, it, test } from 'vitest';
import { ByteReader, ByteWriter } from '../../shared/columns/bytes.ts';
import { encodeKeys } from '../../shared/columns/coded-keys.ts';
import type { KeyValue } from '../../shared/columns/column.ts';
import { compressFrame } from '../../shared/columns/frame.ts';
import { encodeMeasure } from '../../shared/columns/measures.ts';
import { packColumns } from '../../shared/columns/pack.ts';
import { encodeShoppers } from '../../shared/columns/shopper-rows.ts';

/** A reader as another engineer would write it from shared/columns/README.md, without any code of the product. It fails where the page is wrong. */
class PageReader {
  at = 0;
  readonly bytes: Buffer;

  constructor(bytes: Uint8Array) {
    this.bytes = Buffer.from(bytes);
  }

  u8 = (): number => this.raw(1).readUInt8();
  u32 = (): number => this.raw(4).readUInt32LE();
  f64 = (): number => this.raw(8).readDoubleLE();

  raw(length: number): Buffer {
    this.at += length;
    return this.bytes.subarray(this.at - length, this.at);
  }

  varint(): number {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = this.u8();
      value += (byte % 128) * scale;
      if (byte < 128) return value;
    }
  }

  array(length: number, width: number): number[] {
    if (width === 8) return Array.from({ length }, () => this.f64());
    const planes = Array.from({ length: width }, () => this.raw(length));
    return Array.from({ length }, (_, i) =>
      planes.reduce((sum, plane, byte) => sum + (plane[i] ?? 0) * 256 ** byte, 0),
    );
  }

  values(count: number, base: number): number[] {
    return this.stored(count).map((value) => value - base);
  }

  stored(count: number): number[] {
    const width = this.u8();
    if (width !== 0) return this.array(count, width);
    const table: number[] = [];
    for (let left = this.varint(); left > 0; left--) table.push((table.at(-1) ?? 0) + this.varint());
    return this.array(count, 1).map((index) => table[index] ?? Number.NaN);
  }

  dictionary(): KeyValue[] {
    const form = this.u8();
    const nulls: KeyValue[] = this.u8() === 1 ? [null] : [];
    const count = this.varint();
    if (form === 0) return [...nulls, ...JSON.parse(this.raw(this.varint()).toString('utf8'))];
    const digits = form === 2 ? this.u8() : 0;
    let last = 0;
    const values = Array.from({ length: count }, () => {
      last += this.varint();
      return form === 2 ? String(last).padStart(digits, '0') : last;
    });
    return [...nulls, ...values];
  }
}

function openFrame(frame: Uint8Array): { kind: number; rows: number; sum: number; payload: PageReader } {
  const header = new PageReader(frame);
  const [kind, flags, rows, length, sum] = [header.u8(), header.u8(), header.u32(), header.u32(), header.f64()];
  const stored = frame.subarray(18);
  const payload = new PageReader(flags % 2 === 1 ? zstdDecompressSync(stored) : stored);
  expect(payload.bytes.length).toBe(length);
  return { kind, rows, sum, payload };
}

function readKeys(frame: Uint8Array): KeyValue[] {
  const { kind, rows, payload } = openFrame(frame);
  expect(kind).toBe(1);
  const shape = payload.u8();
  const width = payload.u8();
  const dictionary = payload.dictionary();
  const valueAt = (code: number) => dictionary[code] ?? null;
  const read = () => {
    if (shape === 0) return Array.from({ length: rows }, () => valueAt(0));
    if (shape === 2) return payload.array(rows, width).map(valueAt);
    const runs = payload.u32();
    const lengths = payload.array(runs, payload.u8());
    const codes = payload.array(runs, width);
    return codes.flatMap((code, run) => Array.from({ length: lengths[run] ?? 0 }, () => valueAt(code)));
  };
  const values = read();
  expect(payload.at).toBe(payload.bytes.length);
  return values;
}

function readMeasure(frame: Uint8Array): number[] {
  const { kind, rows, sum, payload } = openFrame(frame);
  expect(kind).toBe(2);
  const first = payload.u8();
  const size = first === 3 ? payload.f64() : Math.abs(sum);
  const base = first === 3 ? payload.varint() : 0;
  const shape = first === 3 ? payload.u8() : first;
  const values =
    shape === 2 ? payload.values(rows, base) : new Array<number>(rows).fill(shape === 0 ? payload.f64() : 0);
  if (shape === 1) {
    const width = payload.u8();
    const gaps = payload.array(payload.u32(), width);
    let row = -1;
    payload.values(gaps.length, base).forEach((value, i) => {
      row += 1 + (gaps[i] ?? 0);
      values[row] = value;
    });
  }
  expect(payload.at).toBe(payload.bytes.length);
  expect(values.reduce((a, b) => a + Math.abs(b), 0)).toBe(size);
  expect(size < 2 ** 53 ? values.reduce((a, b) => a + b, 0) : size).toBe(sum);
  return values;
}

/** @returns the shoppers of each row */
function readUsers(frames: readonly Uint8Array[]): number[][] {
  const shoppers: number[][] = [];
  for (const frame of frames) {
    const { kind, rows, payload } = openFrame(frame);
    expect(kind).toBe(3);
    while (shoppers.length < rows) shoppers.push([]);
    const count = payload.u32();
    const pairs = payload.u32();
    const counts = payload.array(count, payload.u8());
    const low = payload.array(count, 4);
    const high = payload.array(count, 2);
    const gaps = payload.array(pairs, payload.u8());
    let hash = 0;
    for (let shopper = 0; shopper < count; shopper++) {
      hash += (high[shopper] ?? 0) * 2 ** 32 + (low[shopper] ?? 0);
      let row = 0;
      for (const gap of gaps.splice(0, counts[shopper])) {
        row += gap;
        shoppers[row]?.push(hash);
      }
    }
    expect(gaps).toEqual([]);
  }
  return shoppers;
}

describe('a reader written from the format page reads', () => {
  const keys: Record<string, KeyValue[]> = {
    'a constant': ['a', 'a'],
    'runs of texts': [...Array(40).fill('x'), ...Array(50).fill('é'), ...Array(30).fill(null)],
    'codes of integers': Array.from({ length: 2_000 }, (_, i) => (i * 37) % 700),
    'codes of digit texts': Array.from({ length: 300 }, (_, i) => String((i * 91) % 250).padStart(13, '0')),
  };
  it.each(Object.entries(keys))('a key column: %s', (_, values) => {
    expect(readKeys(compressFrame(encodeKeys(values)))).toEqual(values);
  });

  const measures: Record<string, number[]> = {
    'a constant': [7, 7, 7],
    sparse: Array.from({ length: 900 }, (_, i) => (i % 9 === 4 ? i : 0)),
    bytes: Array.from({ length: 300 }, (_, i) => i % 200),
    'four bytes': Array.from({ length: 400 }, (_, i) => i * 1_000_003),
    'eight bytes': Array.from({ length: 400 }, (_, i) => 2 ** 45 + i),
    'a negative constant': [-7, -7],
    'sparse credits': Array.from({ length: 900 }, (_, i) => (i % 9 === 4 ? 300 - i : 0)),
    'bytes with credits': Array.from({ length: 300 }, (_, i) => (i % 200) - 50),
    'four bytes with credits': Array.from({ length: 400 }, (_, i) => (i - 20) * 1_000_003),
    'a table with credits': Array.from({ length: 400 }, (_, i) => [1_990_000, 0, -45_500_000][i % 3] ?? 0),
    'the widest range': Array.from({ length: 400 }, (_, i) => (i % 2 === 0 ? 1 : -1) * (2 ** 53 - 1 - i)),
    'a table of prices': Array.from({ length: 400 }, (_, i) => [1_990_000, 0, 45_500_000][i % 3] ?? 0),
  };
  it.each(Object.entries(measures))('a measure column: %s', (_, values) => {
    expect(readMeasure(compressFrame(encodeMeasure(values)))).toEqual(values);
  });

  it('users', () => {
    const shoppers = [[5, 2 ** 45], [], [5, 2 ** 44 + 1, 2 ** 47], [2 ** 45]];
    const offsets = Uint32Array.of(0, 2, 2, 5, 6);
    const bands = encodeShoppers({ rows: 4, offsets, hashes: Float64Array.from(shoppers.flat()) });
    expect([...bands.keys()]).toEqual(['users_0', 'users_1', 'users_2']);
    expect(readUsers([...bands.values()].map(compressFrame))).toEqual(shoppers);
  });

  it('packs', () => {
    const columns = new Map([
      ['delivery/date', encodeKeys([1, 2])],
      ['delivery/clicks', encodeMeasure([3, 4])],
    ]);
    const outer = new PageReader(packColumns(columns));
    const length = outer.u32();
    const inner = new PageReader(zstdDecompressSync(outer.bytes.subarray(outer.at)));
    expect(inner.bytes.length).toBe(length);
    const read = Array.from({ length: inner.varint() }, () => {
      const name = inner.raw(inner.varint()).toString('utf8');
      return [name, new Uint8Array(inner.raw(inner.varint()))] as const;
    });
    expect(read).toEqual([...columns]);
  });
});

/** A check against 2^53 rejected loads whose rows all had the same larger value. */
test('integers, and doubles up to 2^62 that are integers, are read as they were written; longer ones are rejected', () => {
  for (const value of [0, 127, 128, 2 ** 49, Number.MAX_SAFE_INTEGER, 2 ** 53, 2 ** 62])
    expect(new ByteReader(new ByteWriter().varint(value).finish(), 'x').varint()).toBe(value);
  const tooLong = Uint8Array.from([...Array(9).fill(0x80), 0x01]);
  expect(() => new ByteReader(tooLong, 'x').varint()).toThrow('an integer has more than 63 bits');
});

test('an integer of nine bytes is written whole wherever the buffer ends', () => {
  for (let before = 0; before < 300; before++) {
    const written = new ByteWriter()
      .raw(new Uint8Array(before))
      .varint(2 ** 62)
      .finish();
    expect([before, written.length]).toEqual([before, before + 9]);
    expect(new ByteReader(written.subarray(before), 'x').varint()).toBe(2 ** 62);
  }
});
