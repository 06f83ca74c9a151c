import { describe, expect, test } from 'vitest';
import { DIMENSION_NAMES } from '../../shared/catalog/dimensions.ts';
import { Deadline, NO_DEADLINE } from '../../shared/lib/deadline.ts';
import { sortAndPage } from '../../shared/report/finish/sort-and-page.ts';
import { sortKeys } from '../../shared/report/finish/sort-keys.ts';
import { joinGroups } from '../../shared/report/join-groups.ts';
import { randomFrom } from '../oracle/random/random.ts';

const plan = { query: { sort: [] }, undefinedMetrics: new Map() } as never; // the only members that are read

/** @returns the keys of dimensions with the given values by code, whose groups have the given codes */
function keysOf(values: readonly (readonly (string | number | null)[])[], codes: readonly (readonly number[])[]) {
  return sortKeys({
    plan,
    groups: Uint32Array.from(codes, (_, group) => group),
    dimensions: values.map((ofDimension, i) => ({
      name: DIMENSION_NAMES[i] ?? 'keyword',
      values: ofDimension,
      codeOf: (group) => codes[group]?.[i] ?? 0,
    })),
    derive: () => () => null,
    deadline: NO_DEADLINE,
  });
}

describe('groups that are sorted by their dimensions', () => {
  test.each([3, 12, 40])(
    'are in the order of the first dimension that differs, with null last (%i dimensions)',
    (count) => {
      const random = randomFrom(count);
      const values = Array.from({ length: count }, (_, i) => {
        const all = i % 2 === 0 ? ['b', 'a', 'ä', '\u{1F34E}', '\uFF5E', null] : [3, null, 1, 2];
        return all.slice(0, 1 + random.int(all.length));
      });
      const codes = Array.from({ length: 400 }, () => values.map((ofDimension) => random.int(ofDimension.length)));
      const expected = codes.map((own) => own.map((code, i) => values[i]?.[code] ?? null));
      const compare = (a: readonly (string | number | null)[], b: readonly (string | number | null)[]) => {
        const i = a.findIndex((value, at) => value !== b[at]);
        const [left, right] = [a[i] ?? null, b[i] ?? null];
        if (left === right) return 0;
        if (left === null || right === null) return left === null ? 1 : -1;
        if (typeof left === 'number') return left - Number(right);
        return Buffer.compare(Buffer.from(left), Buffer.from(String(right)));
      };
      const repeated = values.map((ofDimension) => [...ofDimension, ...ofDimension]);
      const ofBoth = codes.map((own) => own.map((code, i) => code + (values[i]?.length ?? 0) * random.int(2)));
      for (const keys of [keysOf(values, codes), keysOf(repeated, ofBoth)]) {
        const sorted = sortAndPage(Uint32Array.from(codes.keys()), keys, 0, 400);
        expect(Array.from(sorted, (group) => expected[group])).toEqual(expected.toSorted(compare));
      }
    },
  );
});

const GROUPS = 100_000;
const values = Array.from({ length: GROUPS + 1 }, (_, i) => `k${i}`);
const period = (first: number) => ({
  groups: Uint32Array.from({ length: GROUPS }, (_, i) => i + 1),
  dimensions: [{ name: 'keyword' as const, values, codeOf: (group: number) => group }],
  range: { first, last: first },
  hasDataOn: () => true,
});
const join = (deadline: Deadline) => joinGroups(period(20_000), period(19_999), 'Monday', deadline);

/** The join of 700,000 groups by all dimensions took 12 s between two checks, and the client got a 500. */
test('joining groups checks the deadline every 16,384 groups', () => {
  let checks = 0;
  expect(join(new Deadline(1e9, () => checks++)).groups).toHaveLength(GROUPS);
  expect(checks).toBeGreaterThanOrEqual((2 * GROUPS) / 16_384);
  for (let last = 0; last < checks; last++) {
    let check = 0;
    const late = new Deadline(1, () => (check++ < last ? 0 : 1));
    expect(() => join(late)).toThrow(expect.objectContaining({ code: 'DEADLINE_EXCEEDED' }));
  }
});
