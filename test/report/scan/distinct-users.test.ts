import { describe, expect, it } from 'vitest';
import { DistinctSketch } from '../../../shared/columns/sketch.ts';
import { Memory } from '../../../shared/report/query/too-expensive.ts';
import { DistinctUsers } from '../../../shared/report/sums/distinct-users.ts';
import { hashUser } from '../../support/user-id-key.ts';

const hashes = Float64Array.from({ length: 30_000 }, (_, i) => hashUser(`user ${i}`));
const hashAt = (i: number) => hashes[i % hashes.length] ?? 0;
/** The numbers of users at which a block is full, and at which users get a sketch and an estimate. */
const SIZES = [0, 1, 2, 3, 4, 5, 8, 9, 15, 16, 17, 18, 31, 32, 33, 64, 500, 8_192, 8_193, 20_000];

function unionOf(sketches: readonly DistinctSketch[]): DistinctSketch {
  const union = new DistinctSketch();
  for (const sketch of sketches) union.merge(sketch);
  return union;
}

describe('the distinct users of many groups', () => {
  it('are counted as a sketch per group counts them, whatever the order and however often each is added', () => {
    const users = new DistinctUsers();
    const sketches = SIZES.map(() => new DistinctSketch());
    for (let i = 0; i < 25_000; i++) {
      SIZES.forEach((size, index) => {
        if (size === 0 || i >= size * 1.25) return;
        const hash = hashAt((i % size) * 7 + index);
        users.add(index + 1, hash);
        sketches[index]?.add(hash);
      });
    }
    expect(SIZES.map((_, index) => users.countOf(index + 1))).toEqual(sketches.map((sketch) => sketch.estimate()));
    expect(SIZES.slice(0, -2).map((_, index) => users.countOf(index + 1))).toEqual(SIZES.slice(0, -2));
    const groups = Uint32Array.from(SIZES, (_, index) => index + 1);
    expect(users.fold(groups).countOf(1)).toBe(unionOf(sketches).estimate());
    expect(users.fold(groups.slice(0, 9)).countOf(1)).toBe(unionOf(sketches.slice(0, 9)).estimate());
  });

  it('have the same counts band by band as in one pass', () => {
    const below = 2 ** 44;
    const banded = new DistinctUsers(below);
    const once = new DistinctUsers();
    for (const isFirst of [true, false]) {
      if (!isFirst) banded.widen(2 ** 48);
      for (const [index, size] of SIZES.entries()) {
        for (const hash of hashes.subarray(0, size)) {
          if (hash < below === isFirst) banded.add(index + 1, hash);
          if (isFirst) once.add(index + 1, hash);
        }
      }
    }
    for (const [index] of SIZES.entries()) expect(banded.countOf(index + 1)).toBe(once.countOf(index + 1));
  });

  it('take a few bytes per group where the groups are small, of which each took a sketch of 400 to 520 bytes', () => {
    const users = new DistinctUsers(undefined, new Memory(80 * 100_000));
    for (let group = 1; group <= 100_000; group++) for (let i = 0; i < 4; i++) users.add(group, hashAt(group + i));
    expect(users.countOf(99_999)).toBe(4);
  });

  it('are rejected where they take too much memory, also for the sketches of large groups', () => {
    const users = new DistinctUsers(undefined, new Memory(2_000_000));
    let group = 0;
    const add = () => {
      for (;;) {
        group++;
        for (let i = 0; i < 5_000; i++) users.add(group, hashAt(i));
      }
    };
    expect(add).toThrow(expect.objectContaining({ code: 'REPORT_TOO_EXPENSIVE' }));
    // each group takes between 8 bytes per user and 256 KiB
    expect(group).toBeGreaterThan(2_000_000 / 2 ** 18);
    expect(group).toBeLessThan(2_000_000 / 5_000 / 8);
  });
});
