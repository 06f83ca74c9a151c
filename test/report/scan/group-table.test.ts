import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { GroupTable } from '../../../shared/report/scan/group-table.ts';

/** @returns a table with room for the codes, and the groups that the keys were given */
function tableOf(sizes: readonly number[], keys: readonly (readonly number[])[]) {
  const table = new GroupTable(sizes.length);
  table.fit(sizes);
  return { table, groups: keys.map((key) => table.add(key)) };
}

describe('a table of groups', () => {
  test('numbers keys from 1 in the order of first occurrence', () => {
    const keys = [
      [4, 0],
      [0, 2],
      [4, 0],
      [4, 2],
    ];
    const { table, groups } = tableOf([5, 3], keys);
    expect(groups).toEqual([1, 2, 1, 3]);
    expect(table.size).toBe(3);
    expect(table.groups()).toEqual(Uint32Array.of(1, 2, 3));
    expect([1, 2, 3].map((group) => [table.codeAt(group, 0), table.codeAt(group, 1)])).toEqual([
      [4, 0],
      [0, 2],
      [4, 2],
    ]);
  });

  test('has a single group without axes', () => {
    const { table, groups } = tableOf([], [[], []]);
    expect({ groups, size: table.size }).toEqual({ groups: [1, 1], size: 1 });
  });

  test('packs the codes of axes into words, none across two words', () => {
    const { table } = tableOf([1 << 20, 1, 300, 1 << 12], []);
    expect(table.words).toBe(2);
    expect([0, 1, 2, 3].map((axis) => table.bitField(axis))).toEqual([
      { word: 0, shift: 0, mask: 2 ** 20 - 1 },
      { word: 0, shift: 20, mask: 1 },
      { word: 0, shift: 21, mask: 511 },
      { word: 1, shift: 0, mask: 4095 },
    ]);
    expect(() => table.bitField(4)).toThrow('there is no axis 4');
  });

  test.each([
    ['indexed by key', 12],
    ['hashed', 1 << 23],
  ])('assigns rows to groups, and rows that are not selected to 0, where keys are %s', (_, size) => {
    const { table } = tableOf([size], [[7]]);
    const groups = new Uint32Array(5);
    table.addRows([Uint32Array.of(3, 7, 9, 3, 9)], Uint8Array.of(1, 1, 0, 0, 1), groups);
    expect(groups).toEqual(Uint32Array.of(2, 1, 0, 0, 3));
    table.addRows([Uint32Array.of(9, 5, 7, 3, 5)], undefined, groups);
    expect(groups).toEqual(Uint32Array.of(3, 4, 1, 2, 4));
  });

  test('keeps groups and their numbers when it makes room for larger codes', () => {
    const keys = Array.from({ length: 50 }, (_, i) => [i % 10, Math.floor(i / 10)]);
    const { table, groups } = tableOf([10, 5], keys);
    table.fit([3, 2 ** 24]);
    expect(keys.map((key) => table.add(key))).toEqual(groups);
    expect(table.add([9, 2 ** 24 - 1])).toBe(51);
    expect(table.add([9, 2 ** 24 - 1])).toBe(51);
  });

  test.each([
    ['one word', [2 ** 20, 2 ** 12]],
    ['two words', [2 ** 20, 2 ** 20]],
  ])('numbers tens of thousands of hashed keys of %s as a map does, each time they occur', (_, sizes) => {
    const table = new GroupTable(sizes.length);
    table.fit(sizes);
    const rows = 60_000;
    // multiplied by an odd number, so that the keys are spread over all bits; about half of them occur twice
    const codes = sizes.map((size, axis) =>
      Uint32Array.from({ length: rows }, (_, row) => ((row % 40_000) * (7919 + 2 * axis)) % size),
    );
    const expected = new Map<string, number>();
    const groups = Array.from({ length: rows }, (_, row) => {
      const key = codes.map((ofAxis) => ofAxis[row]).join();
      const group = expected.get(key) ?? expected.size + 1;
      expected.set(key, group);
      return group;
    });
    expect(table.addKeys(codes, rows)).toEqual(Uint32Array.from(groups));
    expect(table.addKeys(codes, rows)).toEqual(Uint32Array.from(groups));
    expect(table.size).toBe(expected.size);
  });

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

  test('rejects more groups than there is memory for', () => {
    const table = new GroupTable(1, 3);
    table.fit([10]);
    expect(table.addKeys([[0, 1, 2, 1]], 4)).toEqual(Uint32Array.of(1, 2, 3, 2));
    expect(() => table.add([3])).toThrow('It has more than 3 groups, for which there is no memory.');
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
