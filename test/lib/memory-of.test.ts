import { expect, test } from 'vitest';
import { memoryOf } from '../../shared/lib/memory-of.ts';

const bytes = new Uint8Array(1_000);

test.each([
  ['a number', 5, 0],
  ['nothing', undefined, 0],
  ['a text', 'abcd', 8],
  ['an array', [1, 2, null], 100 + 3 * 16],
  ['an object', { a: 'ab', b: [] }, 100 + 2 * 16 + 4 + 100],
  ['a map', new Map([['key', 'abc']]), 100 + 16 + 6],
  ['a view of a part of a buffer', bytes.subarray(10, 20), 200 + 1_000],
  ['two views of one buffer', [bytes, bytes.subarray(10)], 100 + 2 * (16 + 200) + 1_000],
])('%s takes memory with all that it refers to', (_, value, expected) => {
  expect(memoryOf(value)).toBe(expected);
});
