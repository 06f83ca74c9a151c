import { describe, expect, test } from 'vitest';
import { MeasureSums } from '../../../shared/report/sums/measure-sums.ts';
import { interleavedStride } from '../../../shared/report/sums/sum-layout.ts';
import { collectGarbage } from '../../support/memory.ts';

const allocated = () => process.memoryUsage().arrayBuffers;
/** Arrays of the test runner. */
const TOLERANCE = 1_000_000;

describe('sums of measures', () => {
  test.each([1, 3, 17, 52])(
    'of %i quantities hold what they allocate, before they allocate it, and free what they copied',
    (slots) => {
      const names = Array.from({ length: slots }, (_, i) => `quantity ${i}`);
      collectGarbage();
      const start = allocated();
      let held = 0;
      let peak = 0;
      const sums = new MeasureSums(names, 1024, undefined, (bytes) => {
        if (bytes > 0) expect(Math.abs(allocated() - start - held)).toBeLessThan(TOLERANCE);
        held += bytes;
        peak = Math.max(peak, held);
      });
      sums.add('quantity 0', 1, 7);
      for (const capacity of [300_000, 310_000, 350_000]) sums.reserve(capacity);
      expect(held).toBe(350_000 * interleavedStride(slots) * 8);
      const taken = sums.take(340_000);
      expect([taken.get('quantity 0')?.low[1], held]).toEqual([7, (slots === 1 ? 350_000 : 340_000 * slots) * 8]); // one quantity is not copied
      expect(Math.abs(allocated() - start - held)).toBeLessThan(TOLERANCE);
      const copied = slots === 1 ? 0 : 350_000 * interleavedStride(slots) + 340_000 * slots;
      // while sums move from 310,000 to 350,000 groups, or are copied out, the old and the new arrays are held
      expect(peak).toBe(Math.max(660_000 * interleavedStride(slots), copied) * 8);
    },
  );

  test('are rejected before the array is allocated that does not fit', () => {
    const names = Array.from({ length: 17 }, (_, i) => `quantity ${i}`);
    const sums = new MeasureSums(names, 1024, undefined, (bytes) => {
      if (bytes > 1_000_000) throw new RangeError('no memory is left');
    });
    collectGarbage();
    const before = allocated();
    expect(() => sums.reserve(4_000_000)).toThrow('no memory is left');
    expect(allocated() - before).toBeLessThan(TOLERANCE);
  });
});
