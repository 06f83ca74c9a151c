import { expect, test } from 'vitest';
import { Deadline, NO_DEADLINE } from '../../shared/lib/deadline.ts';
import { joinGroups } from '../../shared/report/compare/join-groups.ts';
import { Memory } from '../../shared/report/query/too-expensive.ts';

const GROUPS = 100_000;
const values = Array.from({ length: GROUPS + 1 }, (_, i) => `k${i}`);
const period = (first: number) => ({
  groups: Uint32Array.from({ length: GROUPS }, (_, i) => i + 1),
  dimensions: [{ name: 'keyword' as const, values, codeOf: (group: number) => group }],
  range: { first, last: first },
  hasDataOn: () => true,
});
const join = (bytes: number, deadline: Deadline) =>
  joinGroups(period(20_000), period(19_999), 'Monday', new Memory(bytes), deadline);

/** The join of 700,000 groups by all dimensions took 12 s between two checks, and the client got a 500. */
test('joining groups checks the deadline every 16,384 groups', () => {
  let checks = 0;
  expect(join(1e9, new Deadline(1e9, () => checks++)).groups).toHaveLength(GROUPS);
  expect(checks).toBeGreaterThanOrEqual((2 * GROUPS) / 16_384);
  for (let last = 0; last < checks; last++) {
    let check = 0;
    const late = new Deadline(1, () => (check++ < last ? 0 : 1));
    expect(() => join(1e9, late)).toThrow(expect.objectContaining({ code: 'DEADLINE_EXCEEDED' }));
  }
});

test.each([
  ['values', 5_000_000],
  ['groups', 15_000_000],
])('joined groups count with the memory of their %s', (_, bytes) => {
  expect(() => join(bytes, NO_DEADLINE)).toThrow(expect.objectContaining({ code: 'REPORT_TOO_EXPENSIVE' }));
  expect(join(30_000_000, NO_DEADLINE).groups).toHaveLength(GROUPS);
});
