import { describe, expect, test } from 'vitest';
import {
  DAY_COLUMNS,
  EXPERIENCES,
  FACT_TABLES,
  fileMeasuresOf,
  isOptional,
  keyIn,
  TABLE_KEYS,
} from '../../../shared/catalog/tables.ts';
import { type BuiltDay, EMPTY_DAY } from '../../../shared/columns/runs.ts';
import { type PartitionRef, PLATFORM_ID } from '../../../shared/layout/partitions.ts';
import type { SegmentSource } from '../../../shared/layout/segment-reads.ts';
import { dayNumber } from '../../../shared/lib/calendar.ts';
import { beginCommit, readCommit } from '../../../shared/store/commit/commits.ts';
import { readColumnsWithData, writeColumnsWithData } from '../../../shared/store/facts/columns-with-data.ts';
import { FactWriter } from '../../../shared/store/facts/fact-writer.ts';
import { openSegmentSource } from '../../../shared/store/segment-source.ts';
import type { Meter } from '../../../shared/store/table/table.ts';
import { useTablePerTest } from '../../support/use-engine.ts';
import { bytesOf, dayOf, randomBytes, rowsOf } from '../fact-days.ts';
import { digestBytes } from '../sample-load.ts';

const MAY: PartitionRef = { advertiserId: 7, experience: 'pla', table: 'delivery', month: '2026-05' };
const JUNE: PartitionRef = { ...MAY, month: '2026-06' };

describe('facts', () => {
  const made = useTablePerTest();

  const load = async (days: readonly (readonly [PartitionRef, number, BuiltDay])[]) => {
    const writer = await beginCommit(made.table, { owner: 'the test' });
    const facts = new FactWriter(writer);
    for (const [ref, day, built] of days) await facts.writeDay(ref, day, built);
    await facts.finish();
    await writer.finish();
    return writer.n;
  };

  const openSource = async (): Promise<SegmentSource> => openSegmentSource(made.table, await readCommit(made.table));

  /** @returns digests of the columns of the days as a report reads them, by day */
  const readAll = async (ref: PartitionRef, columns: readonly string[], from = 1, to = 31) => {
    const source = await openSource();
    const [manifest] = await source.manifests([ref]);
    const runs = (manifest?.runs ?? []).filter(({ day }) => day >= from && day <= to);
    const read = new Map<number, unknown>();
    for await (const { run, columns: found } of source.runs([{ ref, runs, columns }])) {
      read.set(run.day, digestBytes(found));
    }
    return read;
  };

  const digestsOf = (day: ReturnType<typeof dayOf>, columns: readonly string[]) => digestBytes(bytesOf(day, columns));

  test('columns of several items, columns of one item and packs are read as they were written', async () => {
    // an item has at most 350 KiB of a column
    const days: [number, ReturnType<typeof dayOf>][] = [
      [1, dayOf(1, { clicks: 20, cost: 30 })],
      [2, dayOf(2, { clicks: 720_000, cost: 400, keyword: 358_400 })],
      [3, dayOf(3, { clicks: 358_401, cost: 10_000 })],
      [9, dayOf(4, { cost: 5, clicks: 6, banner: 7 })],
      [31, dayOf(5, { clicks: 8_193 })],
    ];
    await load(days.map(([day, built]) => [MAY, day, built] as const));
    for (const columns of [['clicks'], ['cost', 'clicks'], ['keyword', 'banner', 'clicks', 'cost']]) {
      const expected = new Map(days.map(([day, built]) => [day, digestsOf(built, columns)]));
      expect(await readAll(MAY, columns)).toEqual(expected);
    }
    expect([...(await readAll(MAY, ['cost'], 2, 9)).keys()].sort()).toEqual([2, 3, 9]);
    const packed = (await made.content()).filter(({ pk }) => pk.endsWith('#*facts'));
    expect(packed.map(({ sk }) => sk.slice(0, 2))).toEqual(['01', '09', '31']);
  });

  test('the manifest describes each day and column', async () => {
    const n = await load([
      [MAY, 2, dayOf(2, { clicks: 400_000, cost: 30 })],
      [MAY, 1, dayOf(1, { clicks: 20 })],
    ]);
    const source = await openSource();
    expect(await source.manifests([MAY, JUNE])).toEqual([
      {
        ref: MAY,
        runs: [
          {
            ...{ day: 1, version: n, rows: 10 },
            days: [expect.objectContaining({ day: 1, rows: 10, hours: 1 })],
            columns: new Map([['clicks', { chunks: 0, bytes: 20, distinct: 1 }]]),
          },
          {
            ...{ day: 2, version: n, rows: 20 },
            days: [expect.objectContaining({ day: 2, rows: 20, hours: 1 })],
            columns: new Map([
              ['clicks', { chunks: 2, bytes: 400_000, distinct: 2 }],
              ['cost', { chunks: 1, bytes: 30, distinct: 2 }],
            ]),
          },
        ],
      },
    ]);
  });

  test('a manifest of 31 days and 20 columns costs one read unit, and at most two with its previous version', async () => {
    const month = (seed: number) =>
      Array.from({ length: 31 }, (_, index) => {
        const sizes = Array.from({ length: 20 }, (_, column) => [
          `column_${column}`,
          100 + ((index * 37 + column * 91) % 500),
        ]);
        return [MAY, index + 1, dayOf(seed + index, Object.fromEntries(sizes))] as const;
      });
    await load(month(1));
    const meter: Meter = { readUnits: 0, writeUnits: 0, calls: 0 };
    const read = async () => {
      const state = await readCommit(made.table);
      return openSegmentSource(made.table.metered(meter), state).manifests([MAY]);
    };
    expect((await read())[0]?.runs).toHaveLength(31);
    expect(meter).toMatchObject({ readUnits: 1, calls: 1 });
    await load(month(100));
    expect((await read())[0]?.runs[0]?.rows).toBe(1_000);
    expect(meter.readUnits).toBeLessThanOrEqual(1 + 2);
  });

  test('a load replaces and removes the given days and keeps the others', async () => {
    const old = [1, 2, 3].map((day) => [MAY, day, dayOf(day, { clicks: 10_000 * day, cost: 9 })] as const);
    await load(old);
    await load([
      [MAY, 2, dayOf(8, { clicks: 5, cost: 6 })],
      [MAY, 3, EMPTY_DAY],
    ]);
    expect(await readAll(MAY, ['clicks'])).toEqual(
      new Map([
        [1, digestsOf(dayOf(1, { clicks: 10_000 }), ['clicks'])],
        [2, digestsOf(dayOf(8, { clicks: 5 }), ['clicks'])],
      ]),
    );
  });

  test('a reader at an earlier commit reads the days of that commit', async () => {
    await load([[MAY, 1, dayOf(1, { clicks: 50 })]]);
    const before = await openSource();
    await load([[MAY, 1, dayOf(2, { clicks: 60 })]]);
    const [manifest] = await before.manifests([MAY]);
    const read = [];
    for await (const { columns } of before.runs([{ ref: MAY, runs: manifest?.runs ?? [], columns: ['clicks'] }]))
      read.push(columns.get('clicks'));
    expect(read).toEqual([randomBytes(1, 50)]);
  });

  test('the columns with data are those that one of the advertisers ever had values in', async () => {
    const fedOf = async (...ids: number[]) => readColumnsWithData(made.table, ids, await readCommit(made.table));
    const columns = ['clicks', 'cost', 'entity_id', 'hour', 'keyword'];
    const inPla = columns.map((name) => `pla/${name}`);
    await load([[MAY, 1, rowsOf(1, 3)]]);
    expect(await fedOf(6, 7)).toEqual(new Set(inPla));
    expect(await fedOf(6)).toEqual(new Set());
    await load([
      [MAY, 1, EMPTY_DAY],
      [{ ...MAY, advertiserId: 8, experience: 'toa' }, 1, rowsOf(2, 3, true)],
    ]);
    const inToa = [...columns, 'delivery/users'].map((name) => `toa/${name}`);
    expect(await fedOf(7)).toEqual(new Set(inPla));
    expect(await fedOf(8)).toEqual(new Set(inToa));
    expect(await fedOf(8, 7)).toEqual(new Set([...inPla, ...inToa]));
  });

  test('the columns with data of 1,000 advertisers, one in ten of which lacks a column, take one read unit', async () => {
    const writer = await beginCommit(made.table, { owner: 'the test' });
    const columns = FACT_TABLES.flatMap((table) => [...fileMeasuresOf(table), ...TABLE_KEYS[table]]);
    const [first = '', ...others] = EXPERIENCES.flatMap((experience) => columns.map((name) => `${experience}/${name}`));
    const change = { before: [], lists: new Map(), unmeasured: new Map() };
    const partitionOf = (advertiserId: number) => {
      const withData = advertiserId % 10 === 0 ? others : [first, ...others];
      return { ...change, ref: { ...MAY, advertiserId }, withData };
    };
    const ids = Array.from({ length: 1_000 }, (_, index) => 1_000_003 + 7 * index);
    await writeColumnsWithData(writer, ids.map(partitionOf));
    await writer.finish();
    const state = await readCommit(made.table);
    const meter: Meter = { readUnits: 0, writeUnits: 0, calls: 0 };
    expect(await readColumnsWithData(made.table.metered(meter), ids, state)).toEqual(new Set([first, ...others]));
    expect(meter.readUnits).toBe(1);
  });

  test('the platform’s fact head has the number of advertisers with facts in each experience', async () => {
    const countsOf = async () => (await (await openSource()).factHeads([PLATFORM_ID])).get(PLATFORM_ID)?.advertisers;
    const other = { ...MAY, advertiserId: 8 };
    await load([
      [MAY, 1, rowsOf(1, 3)],
      [MAY, 2, rowsOf(1, 3)],
      [{ ...other, experience: 'toa' }, 1, rowsOf(2, 3)],
    ]);
    await load([[other, 1, rowsOf(1, 3)]]);
    expect(await countsOf()).toEqual(new Map(Object.entries({ pla: 2, toa: 1 })));
    await load([
      [MAY, 1, EMPTY_DAY],
      [{ ...other, experience: 'toa' }, 1, EMPTY_DAY],
    ]);
    expect(await countsOf()).toEqual(new Map(Object.entries({ pla: 2, toa: 0 })));
    await load([[MAY, 2, EMPTY_DAY]]);
    expect(await countsOf()).toEqual(new Map(Object.entries({ pla: 1, toa: 0 })));
  });

  test('the fact head lists the months with rows, the latest delivery day and the days that lack a column', async () => {
    await load([
      [MAY, 30, dayOf(1, { clicks: 9 })],
      [{ ...MAY, month: '2025-12' }, 3, dayOf(1, { clicks: 9 })],
      [{ ...MAY, table: 'activity', month: '2026-07' }, 4, dayOf(1, { live_seconds: 9 })],
    ]);
    const keys = TABLE_KEYS.delivery.filter((key) => key !== 'date').map((key) => keyIn('delivery', key));
    const rangeOf = (date: string) => [dayNumber(date), dayNumber(date)];
    const headOf = async () => (await (await openSource()).factHeads([7, 8])).get(7);
    expect(await headOf()).toEqual({
      advertiserId: 7,
      months: new Map([
        [
          'pla',
          new Map([
            ['delivery', ['2025-12', '2026-05']],
            ['activity', ['2026-07']],
          ]),
        ],
      ]),
      latestDelivery: new Map([['pla', '2026-05-30']]),
      days: new Map([
        [
          'pla',
          new Map([
            ['delivery', ['2025-12-03', '2026-05-30'].map(rangeOf)],
            ['activity', [rangeOf('2026-07-04')]],
          ]),
        ],
      ]),
      unmeasured: new Map([
        [
          'pla',
          new Map<string, number[][]>([
            ...['impressions', 'cost', 'opportunities', ...keys].map((name): [string, number[][]] => [
              name,
              ['2025-12-03', '2026-05-30'].map(rangeOf),
            ]),
            ...DAY_COLUMNS.filter((name) => isOptional(name) && !name.includes('/')).map(
              (name): [string, number[][]] => [name, [[dayNumber('2025-12-03'), dayNumber('2026-07-04')]]],
            ),
            ...['scheduled_seconds', 'activity/hour', 'activity/ad_group_id'].map((name): [string, number[][]] => [
              name,
              [rangeOf('2026-07-04')],
            ]),
          ]),
        ],
      ]),
      versions: new Map([['pla', 1]]),
    });
    await load([
      [JUNE, 2, dayOf(1, { clicks: 9 })],
      [{ ...MAY, experience: 'toa' }, 1, dayOf(1, { clicks: 9 })],
    ]);
    expect((await headOf())?.latestDelivery).toEqual(
      new Map([
        ['pla', '2026-06-02'],
        ['toa', '2026-05-01'],
      ]),
    );
    await load([
      [JUNE, 2, EMPTY_DAY],
      [{ ...MAY, experience: 'toa' }, 1, EMPTY_DAY],
    ]);
    expect((await headOf())?.latestDelivery).toEqual(new Map([['pla', '2026-05-30']]));
    await load([
      [MAY, 30, EMPTY_DAY],
      [{ ...MAY, month: '2025-12' }, 3, EMPTY_DAY],
      [{ ...MAY, table: 'activity', month: '2026-07' }, 4, EMPTY_DAY],
    ]);
    expect(await headOf()).toBeUndefined();
  });

  test('loading the same days again writes no facts and does not change the commit', async () => {
    const days = [
      [MAY, 1, dayOf(1, { clicks: 20, cost: 400_000 })],
      [MAY, 2, dayOf(2, { clicks: 20, cost: 30 })],
      [MAY, 3, EMPTY_DAY],
    ] as const;
    const n = await load(days);
    // the partition COMMIT has the lease of the load
    const before = (await made.content()).filter(({ pk }) => pk !== 'COMMIT');
    await load(days);
    expect(await readCommit(made.table)).toMatchObject({ commit: n });
    expect((await made.content()).filter(({ pk }) => pk !== 'COMMIT')).toEqual(before);
  });

  test.each([
    ['a whole column of a day', (sk: string, pk: string) => pk.endsWith('#cost') && sk.startsWith('02')],
    ['one item of a column', (sk: string, pk: string) => pk.endsWith('#clicks') && sk.endsWith('#0001')],
    ['a pack', (sk: string, pk: string) => pk.endsWith('#*facts') && sk.startsWith('01')],
  ])('a report throws STORE_INCONSISTENT if %s is missing', async (_what, isLost) => {
    await load([
      [MAY, 1, dayOf(1, { clicks: 20, cost: 30 })],
      [MAY, 2, dayOf(2, { clicks: 720_000, cost: 30 })],
      [MAY, 3, dayOf(3, { clicks: 720_000, cost: 30 })],
    ]);
    const lost = (await made.content()).filter(({ pk, sk }) => isLost(sk, pk)).slice(0, 1);
    expect(lost).toHaveLength(1);
    await made.table.deleteMany(lost);
    await expect(readAll(MAY, ['clicks', 'cost'])).rejects.toMatchObject({ code: 'STORE_INCONSISTENT', status: 503 });
  });
});
