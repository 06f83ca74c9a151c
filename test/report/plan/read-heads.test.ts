import { expect, test } from 'vitest';
import { EXPERIENCES, TABLE_MEASURES } from '../../../shared/catalog/tables.ts';
import type { FactHead, PartitionRef } from '../../../shared/layout/partitions.ts';
import { ROLLUP_TABLES } from '../../../shared/layout/rollup-keys.ts';
import { dayNumber } from '../../../shared/lib/calendar.ts';
import { Deadline } from '../../../shared/lib/deadline.ts';
import { Joins } from '../../../shared/report/plan/joins.ts';
import { planReads } from '../../../shared/report/plan/plan-reads.ts';
import { planReport } from '../../../shared/report/plan/plan-report.ts';
import { HEADS_PER_READ, readHeads } from '../../../shared/report/plan/read-heads.ts';
import { Sample } from '../../../shared/report/plan/sample.ts';
import { dayRun } from '../../support/day-run.ts';
import { dataset } from '../../support/facts.ts';
import { run } from '../figures/run.ts';
import { declaredSource } from './declared-source.ts';

const YEAR = Array.from({ length: 12 }, (_, i) => `2025-${String(i + 1).padStart(2, '0')}`);

/** @returns a head with rollups in all experiences in each month of 2025 */
function headOf(advertiserId: number): FactHead {
  const columns = ROLLUP_TABLES.flatMap((table) =>
    Object.keys(TABLE_MEASURES[table]).map((name) => `${table}/${name}`),
  );
  const entry = {
    ...{ version: 1, bytes: 1_000, columns: new Map(columns.map((name) => [name, 100])) },
    rows: new Map(ROLLUP_TABLES.map((table) => [table, 100])),
  };
  const months = new Map(EXPERIENCES.map((experience) => [experience, new Map([['delivery' as const, YEAR]])]));
  const entries = new Map(YEAR.map((month) => [month, entry]));
  return {
    ...{ advertiserId, months, latestDelivery: new Map([['pla', '2025-12-31']]), versions: new Map() },
    days: new Map(EXPERIENCES.map((experience) => [experience, new Map([['delivery' as const, DAYS]])])),
    rollups: new Map(EXPERIENCES.map((experience) => [experience, entries])),
  };
}

const DAYS = [
  ['2025-01-01', '2025-03-09'],
  ['2025-03-11', '2025-03-12'],
  ['2025-04-20', '2025-12-31'],
].map(([first = '', last = '']) => [dayNumber(first), dayNumber(last)] as const);

/** The heads of 4,000 advertisers took more memory than the function has, before any of it was counted. */
test('heads are read in portions, of which the months, days and rollups that the report may read are kept', async () => {
  const plan = planReport({
    ...{
      experience: 'toa',
      startDate: '2025-03-10',
      endDate: '2025-04-20',
      metrics: ['clicks'],
      dimensions: ['ad_group_id'],
    },
    ...{ filters: [], sort: [], pagination: { offset: 0, size: 10 } },
  });
  const ids = Array.from({ length: 2 * HEADS_PER_READ + 1 }, (_, i) => i + 1);
  const portions: number[] = [];
  const source = {
    ...declaredSource(() => []),
    factHeads: async (wanted: readonly number[]) => {
      portions.push(wanted.length);
      return new Map(wanted.map((id) => [id, headOf(id)]));
    },
  };
  const heads = await readHeads({ source }, [plan], ids);
  expect(portions).toEqual([HEADS_PER_READ, HEADS_PER_READ, 1]);
  expect([...heads.keys()]).toEqual(ids);
  const entry = headOf(1).rollups?.get('toa')?.get('2025-03');
  expect(heads.get(1)).toEqual({
    advertiserId: 1,
    months: new Map([['toa', new Map([['delivery', ['2025-03', '2025-04']]])]]),
    latestDelivery: new Map([['pla', '2025-12-31']]),
    versions: new Map(),
    days: new Map(EXPERIENCES.map((experience) => [experience, new Map([['delivery', DAYS.slice(1)]])])), // of all experiences, because filters do not change them
    rollups: new Map([
      [
        'toa',
        new Map([
          ['2025-03', entry],
          ['2025-04', entry],
        ]),
      ],
    ]),
  });
});

/** A report ended after its estimate, 10 s later, in one turn: what it reads of its advertisers before was not known to be work. */
test('a report over many advertisers ends while their heads are read, and has started before', async () => {
  const ids = Array.from({ length: HEADS_PER_READ + 1 }, (_, i) => i + 1);
  const advertisers = ids.map((id) => ({ id, name: `Advertiser ${id}`, accountId: 1, accountIds: [1] }));
  const data = dataset({ advertisers, delivery: [{ date: '2025-03-04', ad_group_id: 1, clicks: 1 }] });
  let now = 0;
  const starts: number[] = [];
  const report = run(data, {
    ...{ metrics: ['clicks'], deadline: new Deadline(50, () => now) },
    onStart: ({ seconds }) => {
      starts.push(seconds);
      now = 100;
    },
  });
  await expect(report).rejects.toMatchObject({ code: 'DEADLINE_EXCEEDED' });
  expect(starts).toEqual([(HEADS_PER_READ + 2) * 250e-6]); // the platform's head is read, too
});

/** The manifests of 300 advertisers over two years took 1.1 GB before the cost guard saw any, and those of 600 ended the function. */
test('manifests are decoded in portions; an estimate of many reads a few of each size, and all of the largest', async () => {
  const months = Array.from(
    { length: 24 },
    (_, i) => `${2024 + Math.floor(i / 12)}-${String((i % 12) + 1).padStart(2, '0')}`,
  );
  const advertiserIds = Array.from({ length: 100 }, (_, id) => id + 1);
  const scope = { accountIds: new Set([1]), advertiserIds, ownAdvertiserIds: advertiserIds };
  const plan = planReport({
    ...{
      experience: 'pla',
      startDate: '2024-01-01',
      endDate: '2025-12-31',
      metrics: ['clicks'],
      dimensions: ['keyword'],
    },
    ...{ filters: [], sort: [], pagination: { offset: 0, size: 10 } },
  });
  const portions: number[] = [];
  const columns = new Map(['keyword', 'clicks'].map((name) => [name, { bytes: 100, chunks: 1, distinct: 1 }]));
  const runs = Array.from({ length: 28 }, (_, i) => dayRun(i + 1, 1, columns));
  const context = {
    source: {
      ...declaredSource(() => []),
      manifests: async (refs: readonly PartitionRef[]) => {
        portions.push(refs.length);
        return refs.map((ref) => ({ ref, runs }));
      },
    },
    joins: new Joins(new Map(), new Set(), 'Monday'),
  };
  const headOf = (advertiserId: number): FactHead => {
    const entries = months.map((month) => {
      const rows = advertiserId === 7 && month === '2025-06' ? 1_000_000 : 100;
      return [
        month,
        { version: 1, rows: new Map([['delivery', rows] as const]), bytes: 1, columns: new Map() },
      ] as const;
    });
    return {
      advertiserId,
      months: new Map([['pla', new Map([['delivery', months]])]]),
      latestDelivery: new Map(),
      versions: new Map(),
      rollups: new Map([['pla', new Map(entries)]]),
    };
  };
  const heads = new Map(advertiserIds.map((id) => [id, headOf(id)]));
  const read = await planReads(context, plan, scope, { heads, shards: [] });
  expect(read.days[0]?.partitions).toHaveLength(2400);
  expect(portions).toEqual([...Array(9).fill(HEADS_PER_READ), 150]);
  portions.length = 0;
  const sample = new Sample(heads);
  const estimated = await planReads({ ...context, sample }, plan, scope, { heads, shards: [] });
  expect(portions).toEqual([64]);
  expect(sample.unread).toBe(2400 - 64);
  const counts = Map.groupBy(estimated.days[0]?.partitions ?? [], ({ ref }) => `${ref.advertiserId} ${ref.month}`);
  expect(counts.get('7 2025-06')).toHaveLength(1); // the largest
  expect(counts.size).toBe(64);
  expect([...counts.values()].reduce((sum, same) => sum + same.length, 0)).toBe(2400);
});
