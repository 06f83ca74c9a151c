import { describe, expect, test } from 'vitest';
import { encodeKeys } from '../../../shared/columns/coded-keys.ts';
import { DimensionCache } from '../../../shared/store/cache/dimension-cache.ts';
import { beginCommit, readCommit } from '../../../shared/store/commit/commits.ts';
import { writeDimensionTable } from '../../../shared/store/facts/dimension-items.ts';
import { useTable } from '../../support/use-engine.ts';

describe('the dimension cache', () => {
  const made = useTable();
  const columns = (name: string) =>
    new Map([
      ['id', encodeKeys([1])],
      ['name', encodeKeys([name])],
      ['status', encodeKeys(['ACTIVE'])],
    ]);
  const load = async (name: string) => {
    const writer = await beginCommit(made.table, { owner: 'test' });
    await writeDimensionTable(writer, 'campaigns', 7, { rows: 1, columns: columns(name) });
    await writer.finish();
    return await readCommit(made.table);
  };

  test('reads each choice of columns once per commit', async () => {
    const meter = { readUnits: 0, writeUnits: 0, calls: 0 };
    const cache = new DimensionCache();
    const read = async (state: Awaited<ReturnType<typeof readCommit>>, wanted: string[]) => {
      const found = await cache.read(made.table.metered(meter), 'campaigns', [7, 8], state, wanted);
      return [Object.fromEntries([...found].map(([id, table]) => [id, [...table.columns.keys()]])), meter.calls];
    };
    const first = await load('Spring');
    expect(await read(first, ['id', 'name'])).toEqual([{ 7: ['id', 'name'] }, 1]);
    expect(await read(first, ['id', 'name'])).toEqual([{ 7: ['id', 'name'] }, 1]);
    expect(await read(first, ['id', 'status'])).toEqual([{ 7: ['id', 'status'] }, 2]);
    // a column that was added to the catalogue after the table was loaded
    expect(await read(first, ['name', 'added'])).toEqual([{ 7: ['name'] }, 3]);
    expect(await read(first, ['name', 'added'])).toEqual([{ 7: ['name'] }, 3]);
    const second = await load('Summer');
    expect(await read(second, ['name'])).toEqual([{ 7: ['name'] }, 4]);
    const found = await cache.read(made.table, 'campaigns', [7], second, ['name']);
    expect(found.get(7)?.columns.get('name')).toEqual(columns('Summer').get('name'));
  });

  test('returns the tables of the requested commit while a report at a later commit reads concurrently', async () => {
    const cache = new DimensionCache();
    const read = async (state: Awaited<ReturnType<typeof readCommit>>, ids: number[]) => {
      const found = await cache.read(made.table, 'campaigns', ids, state, ['name']);
      return found.get(7)?.columns.get('name');
    };
    const first = await load('Spring');
    await read(first, [7]);
    const second = await load('Summer');
    const results = await Promise.all([read(first, [7, 8]), read(second, [7])]);
    expect(results).toEqual([columns('Spring').get('name'), columns('Summer').get('name')]);
  });

  /** Entries of 500 advertisers took 1.1 GB instead of 64 MB, because each kept the whole item in memory. */
  test('keeps no more in memory than the columns that it caches', async () => {
    const state = await load('Spring');
    const cache = new DimensionCache();
    for (const wanted of [['name'], ['name', 'status']]) {
      await cache.read(made.table, 'campaigns', [7], state, wanted);
      const cached = await cache.read(made.table, 'campaigns', [7], state, wanted);
      const sizes = [...(cached.get(7)?.columns.values() ?? [])].map(({ buffer, length }) => [
        buffer.byteLength,
        length,
      ]);
      expect(sizes).toHaveLength(wanted.length);
      for (const [kept, used] of sizes) expect(kept).toBe(used);
    }
  });
});
