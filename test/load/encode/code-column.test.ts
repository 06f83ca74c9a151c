import { describe, expect, test } from 'vitest';
import { hashShoppers, KeyCoder, MeasureCoder } from '../../../shared/load/encode/code-column.ts';
import { SectionCoder } from '../../../shared/load/encode/code-section.ts';
import { Invalid } from '../../../shared/load/schema/value-types.ts';
import type { Section } from '../../../shared/load/source/sections.ts';
import { collectGarbage } from '../../support/memory.ts';
import { USER_ID_KEY } from '../../support/user-id-key.ts';

const DECIMAL = { kind: 'decimal', places: 2 } as const;

/** @returns a coder that converts texts to upper case and rejects all other values */
const textsOnly = (isRequired = false) =>
  new KeyCoder(
    (raw) => (typeof raw === 'string' ? raw.toUpperCase() : new Invalid(`must be text, not ${raw}`)),
    isRequired,
  );
const measure = (isRequired = false) => new MeasureCoder(DECIMAL, isRequired);

/** @returns the coded values of the rows */
function code(
  coder: KeyCoder | MeasureCoder,
  values: readonly unknown[],
  rows = values.length,
): { coded: unknown[]; wrong: unknown[]; rounded?: number[]; empty?: number[] } {
  const wrong: unknown[] = [];
  const onInvalid = (row: number, reason: string) => void wrong.push([row, reason]);
  const empty: number[] = [];
  if (coder instanceof MeasureCoder) {
    const rounded: number[] = [];
    const onRounded = (change: number) => void rounded.push(change);
    const coded = [...coder.code(values, rows, { onInvalid, onRounded, onEmpty: (row) => void empty.push(row) })];
    return { coded, wrong, ...(rounded.length > 0 && { rounded }), ...(empty.length > 0 && { empty }) };
  }
  const coded = coder.code(values, rows, onInvalid);
  return { coded: Array.from(coded.codes, (value) => coded.dictionary[value]), wrong };
}

describe('key columns', () => {
  test('do not confuse a number with the equal text', () => {
    const coder = textsOnly();
    expect(code(coder, ['123'])).toEqual({ coded: ['123'], wrong: [] });
    expect(code(coder, [123]).wrong).toEqual([[0, 'must be text, not 123']]);
  });
});

test('a key column with very many values does not keep them all, and codes each batch alike', () => {
  const coder = textsOnly();
  // more than the 2^19 values that are kept for the next batch
  const wide = Array.from({ length: 600_000 }, (_, i) => `k${i}`);
  const first = coder.code(wide, wide.length, () => undefined);
  const next = coder.code(['k1', 'k2'], 2, () => undefined);
  expect(first.dictionary[first.codes[599_999] ?? 0]).toBe('K599999');
  expect(next).toEqual({ dictionary: [null, 'K1', 'K2'], codes: Uint32Array.of(1, 2) });
});

/** In Parquet, all rows may share a text of a dictionary: files of 3 KB took hours. */
test('a wrong text of consecutive rows is examined once', () => {
  let examined = 0;
  const coder = new KeyCoder(() => {
    examined++;
    return new Invalid('is wrong');
  }, false);
  expect(code(coder, ['a', 'a', 'b', 'b']).wrong).toEqual([0, 1, 2, 3].map((row) => [row, 'is wrong']));
  expect(examined).toBe(2);
});

/** A Parquet file of 8 MB with a different invalid text in each row and column exhausted the memory of a load, at 2.7 GB. */
test('wrong texts are not kept', () => {
  const coder = new KeyCoder((raw) => new Invalid(`must be something else, not ${raw}`), false);
  collectGarbage();
  const before = process.memoryUsage().heapUsed;
  for (let batch = 0; batch < 3; batch++) {
    const texts = Array.from({ length: 200_000 }, (_, i) => `wrong ${batch} ${i}`);
    coder.code(texts, texts.length, () => undefined);
  }
  collectGarbage();
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(20_000_000); // 93 MB before
});

/** pandas writes a column of integers that has gaps as floats: each user had a second id in such a file. */
test('a user id that is an integer as a float has the id of the integer, unless it may have been rounded', () => {
  const users = ['12345.0|12345|u1', '9007199254740993.0', '1.2345678901234568e+18'];
  const ids: string[] = [];
  const wrong: unknown[] = [];
  const hashShopper = (id: string) => ids.push(id);
  hashShoppers(users, users.length, true, hashShopper, (row, reason) => void wrong.push([row, reason]));
  expect(ids).toEqual(['12345', '12345', 'u1']);
  const why = 'an id as a float, which may have been rounded: write all digits';
  expect(wrong).toEqual([1, 2].map((row) => [row, `has a member that is "${users[row]}", ${why}`]));
});

test('a user id that is an integer above 2^53 is right as text or bigint, and an error as a JSON number', () => {
  const users = JSON.parse('[9007199254740991,"9007199254740993",9007199254740993]');
  const ids: string[] = [];
  const wrong: unknown[] = [];
  const hashShopper = (id: string) => ids.push(id);
  hashShoppers([users, [9007199254740993n]], 2, false, hashShopper, (row, reason) => void wrong.push([row, reason]));
  expect(ids).toEqual(['9007199254740991', '9007199254740993', '9007199254740993']);
  expect(wrong).toEqual([[0, expect.stringContaining('must be text')]]);
});

describe('measures', () => {
  test.each([
    ['numbers', [1.5, null, -0.125, 12, 1.5]],
    ['texts', ['1.50', '', '-0.125', '12', '1.5']],
    ['integers of 64 bits', [1.5, undefined, '-0.125', 12n, 1.5]],
  ])('written as %s are scaled, empty ones are 0 and named, wrong ones are reported with their row', (_, values) => {
    const wrong = [[2, expect.stringContaining('0.125')]];
    expect(code(measure(), values)).toEqual({ coded: [150, 0, Number.NaN, 1200, 150], wrong, empty: [1] });
  });

  test('of rows that end without a value are empty', () => {
    expect(code(measure(), [1.5], 3)).toEqual({ coded: [150, 0, 0], wrong: [], empty: [1, 2] });
  });

  test('report every value that is rounded, also a text that repeats', () => {
    expect(code(measure(), ['0.125', '0.125', 0.135, '7.000'])).toEqual({
      ...{ coded: [12, 12, 14, 700], wrong: [] },
      rounded: [-0.5, -0.5, 0.5],
    });
  });
});

const LINES = 100_000;
const LIMIT = 10;

/** A block of 16 MiB can have 8 million lines, each of which took up to 300 bytes. */
test.each([
  ['the same problem', () => 'x'],
  ['different problems', (line: number) => `"${line}"`],
])('of lines with %s, a section holds no more than a report lists', async (_, lineOf) => {
  const coder = new SectionCoder(
    { timeZone: 'UTC', userIdKey: USER_ID_KEY, ids: new Map(), owners: new Map(), creatives: new Set() } as never,
    LIMIT,
  );
  const text = Array.from({ length: LINES }, (_, i) => `${lineOf(i)}\n`).join('');
  const section: Section = { format: 'ndjson', block: { bytes: new Uint8Array(Buffer.from(text)), line: 5 } };
  const { problems } = await coder.code(
    { experience: 'pla', table: 'delivery', names: {}, partitions: new Map(), nullWords: [] },
    section,
  );
  const { first, unseen } = problems;
  expect(first.length).toBeLessThanOrEqual(LIMIT);
  expect(first.slice(0, 3).map(({ line }) => line)).toEqual([5, 6, 7]);
  expect(first.reduce((count, { repeats = 0 }) => count + 1 + repeats, unseen)).toBe(LINES);
});
