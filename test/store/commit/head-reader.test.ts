import { describe, expect, test, vi } from 'vitest';
import { HeadReader } from '../../../shared/store/commit/head-reader.ts';
import { useTablePerTest } from '../../support/use-engine.ts';

const made = useTablePerTest();

const keyOf = (i: number) => ({ pk: `LISTING#accounts#${i}`, sk: 'HEAD' });

describe('heads that are requested at about the same time', () => {
  test('are read with one call per 100 keys, and each request gets its own head', async () => {
    await made.table.putMany(Array.from({ length: 75 }, (_, i) => ({ ...keyOf(2 * i), by: i })));
    const meter = { readUnits: 0, writeUnits: 0, calls: 0 };
    const reader = new HeadReader(made.table.metered(meter));
    const heads = await Promise.all(Array.from({ length: 150 }, (_, i) => reader.read(keyOf(i))));
    expect(heads.map((head) => head?.by)).toEqual(
      Array.from({ length: 150 }, (_, i) => (i % 2 === 0 ? i / 2 : undefined)),
    );
    expect(meter.calls).toBe(2);
  });

  test('are all rejected if the read fails, and later requests are read again', async () => {
    await made.table.put({ ...keyOf(1), by: 7 });
    const reader = new HeadReader(made.table);
    vi.spyOn(made.table, 'getMany').mockRejectedValueOnce(new Error('the table is busy'));
    const results = await Promise.allSettled([reader.read(keyOf(1)), reader.read(keyOf(2))]);
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect((await reader.read(keyOf(1)))?.by).toBe(7);
  });
});
