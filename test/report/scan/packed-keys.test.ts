import { expect, test } from 'vitest';
import { lookUpHashed, mix } from '../../../shared/report/scan/packed-keys.ts';

/** A key that the loop does not find is looked up one by one, which gives the same group, but is several times slower. */
test('a hashed key in the first slot of its hash is found by the loop over rows', () => {
  const slots = new Int32Array(2048);
  const added: number[] = [];
  for (const key of [0, 1, 77, 2 ** 31, 2 ** 32 - 1]) {
    const hash = mix(key);
    const slot = (hash << 1) & (slots.length - 1);
    if (slots[slot + 1] !== 0) continue;
    slots.set([hash, added.push(key)], slot);
  }
  expect(added.length).toBeGreaterThan(1);
  const [groups, missing] = [new Uint32Array(added.length + 1), new Uint32Array(added.length + 1)];
  expect(lookUpHashed(slots, Uint32Array.of(...added, 5), groups, missing)).toBe(1);
  expect([...groups]).toEqual([...added.map((_, i) => i + 1), 0]); // key 5 has no group
  expect(missing[0]).toBe(added.length);
});
