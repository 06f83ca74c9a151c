import { describe, expect, it } from 'vitest';
import type { MeasureData, Values } from '../../../shared/columns/column.ts';
import { payloadBytes } from '../../../shared/columns/frame.ts';
import { encodeMeasure } from '../../../shared/columns/measures.ts';
import { constantKeys, Segment } from '../../../shared/report/scan/segment.ts';

const ROWS = 10_000;

/** The largest value of each width: one byte, a table of few values, two bytes, four and eight. */
const LARGEST = [255, 70_000_000, 65_535, 2 ** 32 - 1, 2 ** 53 - 1];
const SHARES = [0.01, 0.24, 0.26, 1];

describe('the memory that a measure is counted with before it is decoded', () => {
  const cases = LARGEST.flatMap((largest) => SHARES.map((share) => ({ largest, share })));

  it.each(cases)('suffices for values up to $largest in $share of the rows', ({ largest, share }) => {
    const values = Array.from({ length: ROWS }, (_, row) => {
      if ((row * 7919) % ROWS >= share * ROWS) return 0;
      return largest === 70_000_000 ? largest - (row % 200) : largest - (row % Math.min(largest, 5_000));
    });
    const bytes = encodeMeasure(values);
    const segment = new Segment({
      key: 'day',
      advertiserId: 1,
      experience: 'pla',
      rows: ROWS,
      dates: constantKeys(ROWS, '2026-01-01'),
      bytesOf: () => bytes,
    });
    const data = segment.measure('impressions');
    expect(segment.measureBytes('impressions')).toBeGreaterThanOrEqual(payloadBytes(bytes) + bytesOf(data));
    expect(segment.measureBytes('impressions')).toBeLessThanOrEqual(20 * ROWS + 100);
  });
});

/** @returns the bytes of the decoded column's arrays, and of the codes that wider integers are joined to before */
function bytesOf(data: MeasureData): number {
  if (data.kind === 'constant') return 0;
  return bytesOfValues(data.values) + (data.kind === 'sparse' ? data.positions.byteLength : 0);
}

function bytesOfValues(values: Values): number {
  if (!(values instanceof Float64Array)) return 0; // a view of the payload, and a table of 2 KB
  return values.byteLength + Uint32Array.BYTES_PER_ELEMENT * values.length;
}
