import { expect, test } from 'vitest';
import { CUBES, ROLLUP, tablesOf } from '../../../shared/catalog/cubes.ts';
import { type FactHead, memoryOfHead } from '../../../shared/catalog/partitions.ts';
import { EXPERIENCES, TABLE_MEASURES } from '../../../shared/catalog/tables.ts';
import { Deadline } from '../../../shared/lib/deadline.ts';
import { planReport } from '../../../shared/report/plan/plan-report.ts';
import { HEADS_PER_READ, readHeads } from '../../../shared/report/plan/read-heads.ts';
import { dataset } from '../../support/facts.ts';
import { memorySource } from '../../support/memory-source.ts';
import { run } from '../figures/run.ts';

const YEAR = Array.from({ length: 12 }, (_, i) => `2025-${String(i + 1).padStart(2, '0')}`);

/** @returns a head with all cubes in all experiences in each month of 2025 */
function headOf(advertiserId: number): FactHead {
  const cubes = new Map(
    CUBES.map((cube) => {
      const tables = tablesOf(cube);
      const columns = tables.flatMap((table) => Object.keys(TABLE_MEASURES[table]).map((name) => `${table}/${name}`));
      return [
        cube,
        {
          ...{ bytes: 1_000, minDays: 0, columns: new Map(columns.map((name) => [name, 100])) },
          rows: new Map(tables.map((table) => [table, 100])),
        },
      ];
    }),
  );
  const months = new Map(EXPERIENCES.map((experience) => [experience, new Map([['delivery' as const, YEAR]])]));
  const entries = new Map(YEAR.map((month) => [month, { version: 1, cubes }]));
  return {
    ...{ advertiserId, months, latestDelivery: new Map([['pla', '2025-12-31']]) },
    cubeMonths: new Map(EXPERIENCES.map((experience) => [experience, entries])),
  };
}

/** The heads of 4,000 advertisers took more memory than the function has, before any of it was counted. */
test('heads are read in portions, of which the months and cubes that the report may read are kept', async () => {
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
    ...memorySource(dataset({})),
    factHeads: async (wanted: readonly number[]) => {
      portions.push(wanted.length);
      return new Map(wanted.map((id) => [id, headOf(id)]));
    },
  };
  let [held, peak] = [0, 0];
  const hold = (bytes: number) => {
    held += bytes;
    peak = Math.max(peak, held);
  };
  const heads = await readHeads({ source, deadline: new Deadline(Number.POSITIVE_INFINITY), hold }, [plan], ids);
  expect(portions).toEqual([HEADS_PER_READ, HEADS_PER_READ, 1]);
  expect([...heads.keys()]).toEqual(ids);
  const first = heads.get(1) as FactHead; // ids has 1
  const ofToa = headOf(1).cubeMonths?.get('toa')?.get('2025-03')?.cubes.get(ROLLUP);
  const entry = { version: 1, cubes: new Map([[ROLLUP, ofToa]]) };
  expect(first).toEqual({
    advertiserId: 1,
    months: new Map([['toa', new Map([['delivery', ['2025-03', '2025-04']]])]]),
    latestDelivery: new Map([['pla', '2025-12-31']]),
    cubeMonths: new Map([
      [
        'toa',
        new Map([
          ['2025-03', entry],
          ['2025-04', entry],
        ]),
      ],
    ]),
  });
  expect(held).toBe(ids.length * memoryOfHead(first));
  expect(peak).toBeGreaterThan(HEADS_PER_READ * memoryOfHead(headOf(1)));
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
  expect(starts).toEqual([0]);
});
