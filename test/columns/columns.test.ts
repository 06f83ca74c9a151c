import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { codeKeys, decodeKeys, encodeKeys, expandKeys } from '../../shared/columns/coded-keys.ts';
import type { KeyValue } from '../../shared/columns/column.ts';
import { CorruptColumnError, compressFrame, writeFrame } from '../../shared/columns/frame.ts';
import { shopperHasher } from '../../shared/columns/hash-shopper.ts';
import { decodeMeasure, encodeMeasure, expandMeasure } from '../../shared/columns/measures.ts';
import { decodeShoppers, encodeShoppers } from '../../shared/columns/shopper-rows.ts';
import { DistinctSketch, SKETCH_STANDARD_ERROR } from '../../shared/columns/sketch.ts';
import { hashShopper, USER_ID_KEY } from '../support/user-id-key.ts';

/** @returns the frame both not compressed and compressed, as both are stored */
const bothForms = (frame: Uint8Array) => [frame, compressFrame(frame)];
const keysOf = (values: readonly KeyValue[]) =>
  bothForms(encodeKeys(values)).map((bytes) => expandKeys(decodeKeys(bytes, 'test')));
const measureOf = (values: readonly number[]) =>
  bothForms(encodeMeasure(values)).map((bytes) => [...expandMeasure(decodeMeasure(bytes, 'test'))]);
const repeat = <T>(value: T, times: number) => new Array<T>(times).fill(value);

describe('a key column decodes to the values that were encoded:', () => {
  const cases: Record<string, KeyValue[]> = {
    'no rows': [],
    'one value for all rows': ['a', 'a', 'a'],
    'null for all rows': [null, null],
    'ids in any order': [7, 3, 3, 9_007_199_254_740_991, 0],
    decimals: [0.1, 12.5, 0.1],
    'UPC digits with leading zeros': ['0000000000012', '0041100000137', null, '0000000000012'],
    'more digit texts than are kept for later dictionaries': Array.from({ length: 60_000 }, (_, i) =>
      String(i * 7).padStart(13, '0'),
    ),
    'digits too long for a double': ['12345678901234567', '12345678901234568'],
    'texts of any script': ['crème', '日本', '', 'a', '😀', null],
    'long runs': [...repeat('x', 500), ...repeat('y', 700), ...repeat(null, 3)],
    '300 distinct values, in two bytes': Array.from({ length: 900 }, (_, i) => `k${i % 300}`),
    '70,000 distinct values, in four bytes': Array.from({ length: 70_000 }, (_, i) => i * 3),
  };
  it.each(Object.entries(cases))('%s', (_, values) => {
    expect(keysOf(values)).toEqual([values, values]);
  });

  it('any values', () => {
    const value = fc.oneof(fc.string(), fc.maxSafeNat(), fc.constant(null), fc.stringMatching(/^[0-9]{13}$/));
    fc.assert(
      fc.property(fc.array(value, { maxLength: 400 }), (values) => {
        expect(keysOf(values)).toEqual([values, values]);
      }),
      { numRuns: 300 },
    );
    expect.hasAssertions();
  });
});

describe('the dictionary of a key column', () => {
  const character = fc.constantFrom('a', 'b', '\uD7FF', '\uE000', '\uFF5E', '\uFFFF', '\u{10000}', '\u{1F600}');
  const text = fc.string({ unit: character, maxLength: 4 });

  it('has null first, then numbers by size, then texts in the order of their UTF-8 bytes', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(text, fc.nat(30), fc.constant(null)), { maxLength: 60 }), (values) => {
        const { dictionary } = codeKeys(values);
        const numbers = values.filter((value) => typeof value === 'number').toSorted((a, b) => a - b);
        const texts = values.filter((value) => typeof value === 'string');
        const bytewise = texts.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
        const nulls = values.filter((value) => value === null);
        expect(dictionary).toEqual([...new Set<KeyValue>([...nulls, ...numbers, ...bytewise])]);
      }),
    );
    expect.hasAssertions();
  });
});

describe('a measure column decodes to the values that were encoded:', () => {
  const cases: Record<string, number[]> = {
    'no rows': [],
    'equal values': [5, 5, 5],
    'mostly zeros': [...repeat(0, 1000), 7, ...repeat(0, 500), 70_000],
    'values of one byte': Array.from({ length: 500 }, (_, i) => i % 251),
    'values of two bytes': Array.from({ length: 500 }, (_, i) => i * 131),
    'values of four bytes': Array.from({ length: 500 }, (_, i) => i * 8_000_003),
    'values up to 2^53 - 1': [9_007_199_254_740_991, 1, 2, ...Array.from({ length: 300 }, (_, i) => 2 ** 40 + i)],
    'few distinct large values, such as prices': Array.from(
      { length: 500 },
      (_, i) => [0, 1_250_000, 990_000][i % 3] ?? 0,
    ),
  };
  it.each(Object.entries(cases))('%s', (_, values) => {
    expect(measureOf(values)).toEqual([values, values]);
  });

  it('any values', () => {
    const signed = fc.oneof(fc.constant(0), fc.integer({ min: -300, max: 300 }), fc.maxSafeInteger());
    const value = fc.oneof(fc.constant(0), fc.nat(300), fc.maxSafeNat());
    fc.assert(
      fc.property(fc.oneof(fc.array(value, { maxLength: 700 }), fc.array(signed, { maxLength: 700 })), (values) => {
        expect(measureOf(values)).toEqual([values, values]);
      }),
      { numRuns: 300 },
    );
    expect.hasAssertions();
  });
});

describe('users', () => {
  it('are stored as the rows of each shopper, in bands of hashes', () => {
    const [low, middle, high] = [5, 2 ** 45, 2 ** 48 - 1];
    const bands = encodeShoppers({
      rows: 3,
      offsets: Uint32Array.of(0, 2, 2, 5),
      hashes: Float64Array.of(low, high, low, middle, high),
    });
    const read = Object.fromEntries([...bands].map(([column, bytes]) => [column, decodeShoppers(bytes, column)]));
    expect(read).toEqual({
      users_0: {
        rows: 3,
        hashes: Float64Array.of(low),
        offsets: Uint32Array.of(0, 2),
        positions: Uint32Array.of(0, 2),
      },
      users_1: {
        rows: 3,
        hashes: Float64Array.of(middle),
        offsets: Uint32Array.of(0, 1),
        positions: Uint32Array.of(2),
      },
      users_2: {
        rows: 3,
        hashes: Float64Array.of(high),
        offsets: Uint32Array.of(0, 2),
        positions: Uint32Array.of(0, 2),
      },
    });
  });
});

describe('decoding rejects', () => {
  const keys = compressFrame(encodeKeys(Array.from({ length: 900 }, (_, i) => `k${i % 300}`)));

  it('a column of another kind', () => {
    expect(() => decodeKeys(encodeMeasure([1, 2]), 'here')).toThrow('column here: kind 2 where keys was expected');
  });

  it('a dictionary that is not JSON, although its frame is right', () => {
    const payload = Uint8Array.of(0, 0, 0, 0, 1, 1, '['.charCodeAt(0)); // a constant with one value, in a JSON text of one byte
    const frame = writeFrame('keys', { rows: 1, sum: 0 }, payload);
    const error = errorOf(() => decodeKeys(frame, 'here'));
    expect(error).toBeInstanceOf(CorruptColumnError);
    expect(String(error)).toContain('column here: its dictionary is not JSON');
  });

  it.each([
    ['not compressed', 2, encodeKeys(['a', 'b'])],
    ['compressed', 3, keys],
  ])('a flag that is unknown, of a column that is %s', (_, flags, frame) => {
    const changed = Buffer.from(frame);
    changed[1] = flags;
    expect(() => decodeKeys(changed, 'here')).toThrow(`column here: flags ${flags} are unknown`);
  });
});

function errorOf(read: () => unknown): unknown {
  try {
    read();
    return undefined;
  } catch (error) {
    return error;
  }
}

function sketchOf(from: number, to: number, prefix = 'user-'): DistinctSketch {
  const sketch = new DistinctSketch();
  for (let i = from; i < to; i++) sketch.add(hashShopper(prefix + i));
  return sketch;
}

describe('distinct users', () => {
  it.each([0, 1, 511, 512, 513, 8_192])(
    'are counted exactly where there are %i, however often each is added',
    (shoppers) => {
      const sketch = sketchOf(0, shoppers);
      sketch.merge(sketchOf(0, shoppers));
      expect(sketch.estimate()).toBe(shoppers);
    },
  );

  it.each([0, -1, Number.NaN])('need a sketch for at least one hash, not for %d', (expected) => {
    expect(() => new DistinctSketch(undefined, expected)).toThrow(RangeError);
  });

  it('are estimated above 8,192 with at most 1.25 times the published standard error, and never off by 8 %', () => {
    const errors = [9_000, 20_000, 60_000].flatMap((shoppers) =>
      Array.from({ length: 20 }, (_, run) => sketchOf(0, shoppers, `run-${run}-`).estimate() / shoppers - 1),
    );
    const rms = Math.sqrt(errors.reduce((sum, error) => sum + error ** 2, 0) / errors.length);
    expect(rms).toBeLessThan(1.25 * SKETCH_STANDARD_ERROR);
    expect(Math.max(...errors.map(Math.abs))).toBeLessThan(0.08);
  });

  it('are estimated independently of the order in which they are added and merged', () => {
    const forwards = sketchOf(0, 30_000);
    const backwards = new DistinctSketch();
    for (let i = 29_999; i >= 0; i--) backwards.add(hashShopper(`user-${i}`));
    const merged = sketchOf(0, 3_000);
    for (let from = 2_000; from < 30_000; from += 7_000) merged.merge(sketchOf(from, from + 7_000));
    expect([backwards.estimate(), merged.estimate()]).toEqual([forwards.estimate(), forwards.estimate()]);
  });
});

describe('the hash of a user', () => {
  it('is an integer of 48 bits, equal for equal ids', () => {
    for (const id of ['', 'a', 'household-2375', 'ünïcode', 'x'.repeat(10_000)]) {
      expect(hashShopper(id)).toBe(hashShopper(id));
      expect(Number.isInteger(hashShopper(id)) && hashShopper(id) >= 0 && hashShopper(id) < 2 ** 48).toBe(true);
    }
  });

  it('differs for a hundred thousand numbered users', () => {
    const hashes = new Set(Array.from({ length: 100_000 }, (_, i) => hashShopper(String(i))));
    expect(hashes.size).toBe(100_000);
  });

  it('is the lower 48 bits of SipHash-2-4, by the test vectors of its authors', () => {
    // https://github.com/veorq/SipHash/blob/master/vectors.h: the key is 00 01 … 0f, the text of n bytes is 00 01 …
    const text = (bytes: number) => String.fromCharCode(...Array(bytes).keys());
    const hash = shopperHasher(Uint8Array.from({ length: 16 }, (_, i) => i));
    const hashes = [0, 1, 7, 8, 15].map((bytes) => hash(text(bytes)).toString(16));
    expect(hashes).toEqual(['db47dd0e0e31', '39c593dc67fd', 'f58b01d137', 'f5799a932462', 'ca6149be45e5']);
  });

  it('depends on the key, which must have 16 bytes', () => {
    const other = shopperHasher(USER_ID_KEY.toReversed());
    expect(other('household-2375')).not.toBe(hashShopper('household-2375'));
    expect(() => shopperHasher(USER_ID_KEY.subarray(1))).toThrow('a key of 15 bytes: it must have 16');
  });
});
