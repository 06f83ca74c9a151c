import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { GroupTable } from '../../../shared/report/scan/group-table.ts';

describe('a table of groups', () => {
  test('numbers any keys as a map of texts does, while axes grow', () => {
    const axes = fc.array(fc.constantFrom(2, 200, 70_000, 2 ** 26), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(
        axes,
        fc.array(fc.array(fc.nat(2 ** 26 - 1), { minLength: 4, maxLength: 4 }), { maxLength: 300 }),
        (sizes, draws) => {
          const table = new GroupTable(sizes.length);
          const expected = new Map<string, number>();
          draws.forEach((draw, i) => {
            const room = sizes.map((size) => Math.max(1, Math.ceil((size * (i + 1)) / draws.length)));
            const key = room.map((size, axis) => (draw[axis] ?? 0) % size);
            table.fit(room);
            const group = expected.get(key.join()) ?? expected.size + 1;
            expected.set(key.join(), group);
            expect(table.add(key)).toBe(group);
          });
          for (const [key, group] of expected) expect(table.add(key.split(',').map(Number))).toBe(group);
        },
      ),
      { numRuns: 60, seed: 5 },
    );
  });

  /** With a layout for each doubling, a million groups took 14.6 s. */
  test('lays hashed keys of growing axes out less often than these double, and finds the groups afterwards', () => {
    const groups = 300_000;
    const sizes = [1024, 1024, 1, 1, 1];
    const table = new GroupTable(sizes.length);
    table.fit(sizes);
    const keys = Array.from({ length: groups }, (_, i) => [i & 1023, i >>> 10, 0, 0, 0]);
    const codes = sizes.map((_, axis) => Uint32Array.from(keys, (key) => key[axis] as number));
    table.addKeys(codes, groups);
    const layouts = new Set<string>();
    const doublings = 55;
    for (let i = 0; i < doublings; i++) {
      sizes[i % 5] = (sizes[i % 5] as number) * 2;
      table.fit(sizes);
      layouts.add(JSON.stringify(sizes.map((_, axis) => table.bitField(axis))));
    }
    expect(layouts.size).toBeLessThan(doublings / 2);
    expect(table.addKeys(codes, groups)).toEqual(table.groups());
    expect([table.codeAt(groups, 0), table.codeAt(groups, 1), table.codeAt(groups, 4)]).toEqual([
      299_999 & 1023,
      299_999 >>> 10,
      0,
    ]);
  });
});
