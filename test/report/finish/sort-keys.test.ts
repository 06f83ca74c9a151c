import { describe, expect, test, vi } from 'vitest';
import { DIMENSION_NAMES } from '../../../shared/catalog/dimensions.ts';
import { NO_DEADLINE } from '../../../shared/lib/deadline.ts';
import { sortAndPage } from '../../../shared/report/finish/sort-and-page.ts';
import { sortKeys } from '../../../shared/report/finish/sort-keys.ts';
import { ReportMemory } from '../../../shared/report/guard/report-memory.ts';
import { randomFrom } from '../../oracle/random/random.ts';

const plan = { query: { sort: [] }, undefinedMetrics: new Map() } as never; // the only members that are read

/** @returns the keys of dimensions with the given values by code, whose groups have the given codes */
function keysOf(
  values: readonly (readonly (string | number | null)[])[],
  codes: readonly (readonly number[])[],
  { areDistinct = true, memory = new ReportMemory() } = {},
) {
  return sortKeys({
    plan,
    groups: Uint32Array.from(codes, (_, group) => group),
    dimensions: values.map((ofDimension, i) => ({
      name: DIMENSION_NAMES[i] ?? 'keyword',
      values: ofDimension,
      areDistinct,
      codeOf: (group) => codes[group]?.[i] ?? 0,
    })),
    derive: () => () => null,
    memory,
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
      for (const keys of [keysOf(values, codes), keysOf(repeated, ofBoth, { areDistinct: false })]) {
        const sorted = sortAndPage(Uint32Array.from(codes.keys()), keys, 0, 400);
        expect(Array.from(sorted, (group) => expected[group])).toEqual(expected.toSorted(compare));
      }
    },
  );

  /** Sorting a million groups by 40 dimensions with one value each before those that differ took 14 s. */
  test('have no keys of dimensions with one value, and few where many dimensions differ', () => {
    const oneValue = Array.from({ length: 38 }, () => ['x']);
    const two = [
      [1, 2],
      [1, 2],
    ] as const;
    const codes = [0, 1].map((code) => [...oneValue.map(() => 0), code, 0]);
    expect(keysOf([...oneValue, ...two], codes)).toHaveLength(2);
    expect(
      keysOf(
        Array.from({ length: 40 }, () => [1, 2]),
        [[]],
      ),
    ).toHaveLength(1);
  });

  /** A report by 2.3 million keywords took 1.7 GB, of which 600 MB were counted. */
  test.each([true, false])('hold memory while their values are ranked (distinct: %s)', (areDistinct) => {
    const memory = new ReportMemory();
    const hold = vi.spyOn(memory, 'hold');
    const values = Array.from({ length: 1_000 }, (_, i) => `keyword ${i}`);
    keysOf(
      [values],
      values.map((_, i) => [i]),
      { areDistinct, memory },
    );
    const bytes = hold.mock.calls.map(([held]) => held);
    // 8 bytes per value, and 24 to order it or 120 to find equal ones
    expect(Math.max(...bytes)).toBeGreaterThanOrEqual(1_000 * (areDistinct ? 32 : 128));
    expect(bytes.reduce((sum, held) => sum + held, 0)).toBe(1_000 * 8);
  });
});
