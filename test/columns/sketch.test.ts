import { describe, expect, it } from 'vitest';
import { userHasher } from '../../shared/columns/hash-user.ts';
import { DistinctSketch, SKETCH_STANDARD_ERROR } from '../../shared/columns/sketch.ts';
import { hashUser, USER_ID_KEY } from '../support/user-id-key.ts';

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

  it.each([0, -1, Number.NaN])('need a sketch for at least one hash, not for %d', (expected) => {
    expect(() => new DistinctSketch(undefined, expected)).toThrow(RangeError);
  });

  it('are estimated above 8,192 with at most 1.25 times the published standard error, and never off by 8 %', () => {
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

  it('is the lower 48 bits of SipHash-2-4, by the test vectors of its authors', () => {
    // https://github.com/veorq/SipHash/blob/master/vectors.h: the key is 00 01 … 0f, the text of n bytes is 00 01 …
    const text = (bytes: number) => String.fromCharCode(...Array(bytes).keys());
    const hash = userHasher(Uint8Array.from({ length: 16 }, (_, i) => i));
    const hashes = [0, 1, 7, 8, 15].map((bytes) => hash(text(bytes)).toString(16));
    expect(hashes).toEqual(['db47dd0e0e31', '39c593dc67fd', 'f58b01d137', 'f5799a932462', 'ca6149be45e5']);
  });

  it('depends on the key, which must have 16 bytes', () => {
    const other = userHasher(USER_ID_KEY.toReversed());
    expect(other('household-2375')).not.toBe(hashUser('household-2375'));
    expect(() => userHasher(USER_ID_KEY.subarray(1))).toThrow('a key of 15 bytes: it must have 16');
  });
});
