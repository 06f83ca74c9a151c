import { expect, test } from 'vitest';
import { isNestedDeeper } from '../../shared/lib/json-depth.ts';

test.each([
  ['[[1]]', 2, false],
  ['[[1]]', 1, true],
  ['[{"a":[]},{"b":[]}]', 3, false],
  ['[{"a":[]},{"b":[[]]}]', 3, true],
  ['{"[[[[":"]]]]{{{{"}', 1, false],
  ['"\\"[[["', 0, false],
  ['["\\\\",[[', 2, true],
  ['["unclosed [[[[', 1, false],
  ['[[[[', 3, true],
  [']]]]', 0, false],
])('%s is nested deeper than %d levels: %s', (text, max, expected) => {
  expect(isNestedDeeper(text, max)).toBe(expected);
});

test('counts a million levels without overflowing the stack', () => {
  expect(isNestedDeeper('['.repeat(1_000_000), 999_999)).toBe(true);
});
