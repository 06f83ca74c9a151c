import { describe, expect, it } from 'vitest';
import { hashUser } from '../../shared/columns/hash-user.ts';
import { DistinctSketch, SKETCH_STANDARD_ERROR } from '../../shared/columns/sketch.ts';

function sketchOf(from: number, to: number, prefix = 'user-'): DistinctSketch {
  const sketch = new DistinctSketch();
  for (let i = from; i < to; i++) sketch.add(hashUser(prefix + i));
  return sketch;
}

describe('distinct users', () => {
  it.each([0, 1, 511, 512, 513, 8_192])(
    'are counted exactly where there are %i, however often each is added',
    (users) => {
      const sketch = sketchOf(0, users);
      sketch.merge(sketchOf(0, users));
      expect(sketch.estimate()).toBe(users);
    },
  );

  it('are estimated above 8,192 within the published standard error, and never off by 8 %', () => {
    const errors = [9_000, 20_000, 60_000].flatMap((users) =>
      Array.from({ length: 20 }, (_, run) => sketchOf(0, users, `run-${run}-`).estimate() / users - 1),
    );
    const rms = Math.sqrt(errors.reduce((sum, error) => sum + error ** 2, 0) / errors.length);
    expect(rms).toBeLessThan(1.25 * SKETCH_STANDARD_ERROR);
    expect(Math.max(...errors.map(Math.abs))).toBeLessThan(0.08);
  });

  it('are estimated independently of the order in which they are added and merged', () => {
    const forwards = sketchOf(0, 30_000);
    const backwards = new DistinctSketch();
    for (let i = 29_999; i >= 0; i--) backwards.add(hashUser(`user-${i}`));
    const merged = sketchOf(0, 3_000);
    for (let from = 2_000; from < 30_000; from += 7_000) merged.merge(sketchOf(from, from + 7_000));
    expect([backwards.estimate(), merged.estimate()]).toEqual([forwards.estimate(), forwards.estimate()]);
  });
});

describe('the hash of a user', () => {
  it('is an integer of 48 bits, equal for equal ids', () => {
    for (const id of ['', 'a', 'household-2375', 'ünïcode', 'x'.repeat(10_000)]) {
      expect(hashUser(id)).toBe(hashUser(id));
      expect(Number.isInteger(hashUser(id)) && hashUser(id) >= 0 && hashUser(id) < 2 ** 48).toBe(true);
    }
  });

  it('differs for a hundred thousand numbered users', () => {
    const hashes = new Set(Array.from({ length: 100_000 }, (_, i) => hashUser(String(i))));
    expect(hashes.size).toBe(100_000);
  });
});
