import { describe, expect, test } from 'vitest';
import { toJson } from '../../../shared/http/format/json.ts';
import { Deadline, NO_DEADLINE } from '../../../shared/lib/deadline.ts';

const page = (rows: number) => ({
  headers: [{ name: 'name' }],
  data: Array.from({ length: rows }, (_, row) => ({ name: `"${row}"\u2028\ud800`, cost: row / 3, halo_roas: null })),
  next: undefined,
  totals: { cost: 1e21 },
});

describe('a page as JSON', () => {
  /** With three values per row, rows beyond 3,334 are written in parts. */
  test.each([0, 1, 3_333, 3_334, 3_335, 10_000])('of %i rows is what JSON.stringify writes', (rows) => {
    expect(toJson(page(rows), NO_DEADLINE)).toBe(JSON.stringify(page(rows)));
  });

  test('is not finished after the deadline', () => {
    let now = 0; // each reading of the clock takes 1 ms
    const deadline = new Deadline(3, () => now++);
    expect(() => toJson(page(20_000), deadline)).toThrow('not ready in time');
  });
});
