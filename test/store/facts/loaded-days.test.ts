import { describe, expect, test } from 'vitest';
import { EMPTY_DAY } from '../../../shared/columns/runs.ts';
import { type PartitionRef, PLATFORM_ID } from '../../../shared/layout/partitions.ts';
import { formatDay } from '../../../shared/lib/calendar.ts';
import { beginCommit, readCommit } from '../../../shared/store/commit/commits.ts';
import { FactWriter } from '../../../shared/store/facts/fact-writer.ts';
import { openSegmentSource } from '../../../shared/store/segment-source.ts';
import { useTablePerTest } from '../../support/use-engine.ts';
import { dayOf } from '../fact-days.ts';

const ROWS = dayOf(1, { clicks: 9 });
const OTHER_ROWS = dayOf(2, { clicks: 9 });

const CREDITS = { ...dayOf(3, { clicks: 9 }), isDelivered: false };

/** A day as `advertiser experience table date`; rows 0 empties it. */
type Change = readonly [day: string, rows?: 0 | 'other rows' | 'credits'];

function refOf(text: string): { ref: PartitionRef; day: number } {
  const [advertiserId, experience, table, date = ''] = text.split(' ');
  const month = date.slice(0, 7);
  const ref = { advertiserId: Number(advertiserId), experience, table, month } as PartitionRef; // the tests below use valid names only
  return { ref, day: Number(date.slice(8)) };
}

describe('the platform’s loaded days, and its latest delivery day', () => {
  const made = useTablePerTest();
  /** Loads the changes. */
  const load = async (changes: readonly Change[], end: 'finish' | 'abandon' = 'finish'): Promise<void> => {
    const writer = await beginCommit(made.table, { owner: 'the test' });
    const facts = new FactWriter(writer);
    for (const [text, rows] of changes) {
      const { ref, day } = refOf(text);
      const days = { 'other rows': OTHER_ROWS, credits: CREDITS };
      await facts.writeDay(ref, day, rows === 0 ? EMPTY_DAY : rows === undefined ? ROWS : days[rows]);
    }
    await facts.finish();
    await writer[end]();
  };

  const headOf = async (advertiserId: number) => {
    const source = openSegmentSource(made.table, await readCommit(made.table));
    return (await source.factHeads([advertiserId])).get(advertiserId);
  };
  const latest = async () => Object.fromEntries((await headOf(PLATFORM_ID))?.latestDelivery ?? []);

  const loadedDays = async () => {
    const tables = [...((await headOf(PLATFORM_ID))?.days?.get('pla') ?? [])];
    return Object.fromEntries(
      tables.map(([table, ranges]) => [table, ranges.map((range) => range.map(formatDay).join(' to ')).join(', ')]),
    );
  };

  test('is the latest of all advertisers per experience, with or without a market', async () => {
    await load([
      ['7 pla delivery 2026-03-05'],
      ['8 pla delivery 2026-03-08'],
      ['8 toa delivery 2026-02-01'],
      ['9 pla conversions 2026-04-01'],
    ]);
    expect(await latest()).toEqual({ pla: '2026-03-08', toa: '2026-02-01' });
    expect((await headOf(PLATFORM_ID))?.months).toEqual(new Map());
    await load([['0 pla market 2026-05-01'], ['7 carousel delivery 2026-01-01']]);
    expect(await latest()).toEqual({ pla: '2026-03-08', toa: '2026-02-01', carousel: '2026-01-01' });
    expect((await headOf(PLATFORM_ID))?.months).toEqual(new Map([['pla', new Map([['market', ['2026-05']]])]]));
  });

  test('does not change when only the market is loaded or removed', async () => {
    await load([['7 pla delivery 2026-03-05'], ['0 pla market 2026-05-01']]);
    await load([['0 pla market 2026-05-02']]);
    await load([
      ['0 pla market 2026-05-01', 0],
      ['0 pla market 2026-05-02', 0],
    ]);
    expect(await latest()).toEqual({ pla: '2026-03-05' });
  });

  test('falls back to the latest remaining day once no advertiser has the day any more', async () => {
    await load([
      ['7 pla delivery 2026-03-08'],
      ['7 pla delivery 2026-02-01'],
      ['8 pla delivery 2026-03-08'],
      ['8 pla delivery 2026-03-02'],
      ['9 pla delivery 2026-03-06'],
    ]);
    await load([['7 pla delivery 2026-03-08', 0]]);
    expect(await latest()).toEqual({ pla: '2026-03-08' });
    await load([['8 pla delivery 2026-03-08', 0]]);
    expect(await latest()).toEqual({ pla: '2026-03-06' });
    await load([['9 pla delivery 2026-03-06', 0], ['7 pla delivery 2026-03-04']]);
    expect(await latest()).toEqual({ pla: '2026-03-04' });
  });

  test('is removed with the platform’s head when no advertiser has delivery any more', async () => {
    await load([['7 pla delivery 2026-03-08'], ['8 toa delivery 2026-03-08']]);
    await load([['7 pla delivery 2026-03-08', 0]]);
    expect(await latest()).toEqual({ toa: '2026-03-08' });
    await load([['8 toa delivery 2026-03-08', 0]]);
    expect(await headOf(PLATFORM_ID)).toBeUndefined();
  });

  test('does not change for a reader at an earlier commit', async () => {
    await load([['7 pla delivery 2026-03-05']]);
    const before = openSegmentSource(made.table, await readCommit(made.table));
    await load([['7 pla delivery 2026-03-06']]);
    const heads = await before.factHeads([PLATFORM_ID]);
    expect(heads.get(PLATFORM_ID)?.latestDelivery).toEqual(new Map([['pla', '2026-03-05']]));
  });

  test('is not written by a load that changes nothing', async () => {
    await load([['7 pla delivery 2026-03-05']]);
    const before = (await made.content()).filter(({ pk }) => pk !== 'COMMIT');
    await load([['7 pla delivery 2026-03-05'], ['8 pla delivery 2026-03-07', 0]]);
    expect((await made.content()).filter(({ pk }) => pk !== 'COMMIT')).toEqual(before);
  });

  test('and the days with rows of anybody are exact after days are added and removed', async () => {
    const many = Array.from({ length: 150 }, (_, index) => index + 1);
    await load(many.map((id): Change => [`${id} pla delivery 2026-03-0${id % 2 === 0 ? 7 : 5}`]));
    await load([['3 pla delivery 2026-03-06'], ['3 pla activity 2026-04-01']]);
    expect(await loadedDays()).toEqual({ delivery: '2026-03-05 to 2026-03-07', activity: '2026-04-01 to 2026-04-01' });
    await load([
      ['3 pla delivery 2026-03-06', 0],
      ['2 pla delivery 2026-03-07', 0],
    ]);
    expect(await loadedDays()).toEqual({
      delivery: '2026-03-05 to 2026-03-05, 2026-03-07 to 2026-03-07',
      activity: '2026-04-01 to 2026-04-01',
    });
    await load(many.filter((id) => id % 2 === 0 && id > 2).map((id): Change => [`${id} pla delivery 2026-03-07`, 0]));
    await load([['3 pla activity 2026-04-01', 0]]);
    expect(await loadedDays()).toEqual({ delivery: '2026-03-05 to 2026-03-05' });
    expect(await latest()).toEqual({ pla: '2026-03-05' });
  });

  test('and days of credits only are no delivery, of an advertiser and of the platform', async () => {
    await load([
      ['7 pla delivery 2026-03-05'],
      ['8 pla delivery 2026-03-05', 'credits'],
      ['8 pla delivery 2026-03-06', 'credits'],
    ]);
    const [march5, march6] = ['2026-03-05 to 2026-03-05', '2026-03-06 to 2026-03-06'];
    expect(await loadedDays()).toEqual({ delivery: march5, undelivered: march6 }); // the credit of the 5th does not show beside delivery
    expect((await headOf(8))?.latestDelivery).toEqual(new Map());
    await load([['8 pla delivery 2026-03-05', 0]]);
    expect(await loadedDays()).toEqual({ delivery: march5, undelivered: march6 });
    await load([['8 pla delivery 2026-03-06'], ['7 pla delivery 2026-03-05', 'credits']]);
    expect(await loadedDays()).toEqual({ delivery: march6, undelivered: march5 });
    await load([['7 pla delivery 2026-03-05', 0]]);
    expect(await loadedDays()).toEqual({ delivery: march6 });
  });

  test('do not change by a load that is abandoned', async () => {
    await load([['7 pla delivery 2026-03-05']]);
    await load([['7 pla delivery 2026-03-06'], ['7 pla delivery 2026-03-05', 0]], 'abandon');
    expect(await loadedDays()).toEqual({ delivery: '2026-03-05 to 2026-03-05' });
    await load([['8 pla delivery 2026-03-05']]);
    await load([['8 pla delivery 2026-03-05', 0]]);
    expect(await loadedDays()).toEqual({ delivery: '2026-03-05 to 2026-03-05' });
  });

  test('do not change by loads of the same days', async () => {
    await load([['7 pla delivery 2026-03-05']]);
    const countsOf = async () => (await made.content()).filter(({ pk }) => pk.startsWith('COLLECTION#'));
    const counts = await countsOf();
    await load([['7 pla delivery 2026-03-05', 'other rows']]);
    expect(await countsOf()).toEqual(counts);
    expect((await headOf(7))?.versions).toEqual(new Map([['pla', 2]]));
  });
});
