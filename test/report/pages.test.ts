import { describe, expect, it } from 'vitest';
import type { ReportQuery } from '../../shared/report/query/query.ts';
import type { ReportInput } from '../../shared/report/query/report-input.ts';
import { runReport } from '../../shared/report/run-report.ts';
import { dataset } from '../support/facts.ts';
import { SETTINGS } from '../support/report-settings.ts';
import { storeDataset } from '../support/stored-source.ts';

/** 40 keywords, most of which have as many impressions as others. */
const data = dataset({
  delivery: Array.from({ length: 50 }, (_, i) => ({
    date: '2025-03-03',
    keyword: `kw ${i % 40}`,
    impressions: i % 10,
  })),
});
const open = await storeDataset(data);
const scope = { accountIds: new Set([1]), advertiserIds: [1], ownAdvertiserIds: [1] };
const QUERY: ReportQuery = {
  experience: 'pla',
  startDate: '2025-03-01',
  endDate: '2025-03-31',
  metrics: ['impressions', 'click_through_rate'],
  dimensions: ['keyword'],
  filters: [],
  sort: [{ field: 'impressions', order: 'DESC' }],
  pagination: { offset: 0, size: 100 },
};

/** @returns the report as a new instance computes it */
const request = (changes: Partial<ReportQuery>) =>
  runReport({ query: { ...QUERY, ...changes }, scope, settings: SETTINGS, source: open() });

describe('a report of 40 rows', () => {
  it.each<[string, Partial<ReportQuery>]>([
    ['many rows are equal in its sort', {}],
    ['it has no sort', { sort: [] }],
    ['all rows are equal in its sort', { sort: [{ field: 'click_through_rate', order: 'ASC' }] }],
    ['it is compared', { compare: { startDate: '2025-02-01', endDate: '2025-02-28' } }],
    [
      'a filter on a metric drops rows',
      { filters: [{ field: 'impressions', operator: 'GREATER_THAN', values: ['4'] }] },
    ],
  ])('is what its pages together are, each computed by an instance of its own, where %s', async (_, changes) => {
    const { data: rows, ...whole } = await request(changes);
    expect(new Set(rows.map(({ keyword }) => keyword)).size).toBe(whole.totalCount);
    for (const size of [1, 7, 15]) {
      const paged: unknown[] = [];
      for (let offset = 0; offset < whole.totalCount + size; offset += size) {
        const { data: page, ...described } = await request({ ...changes, pagination: { offset, size } });
        expect(described).toEqual(whole); // totals, warnings and the version of the data, too
        paged.push(...page);
      }
      expect(paged).toEqual(rows);
    }
  });

  it('has rows that are equal in its sort in the order of their keys', async () => {
    const { data: rows } = await request({ pagination: { offset: 4, size: 8 } });
    expect(rows.map(({ keyword, impressions }) => `${keyword}: ${impressions}`)).toEqual([
      ...['kw 5: 10', 'kw 19: 9', 'kw 29: 9', 'kw 39: 9'],
      ...['kw 18: 8', 'kw 28: 8', 'kw 38: 8', 'kw 4: 8'],
    ]);
  });

  it('reports its cost before it reads facts, so that a function that is killed meanwhile leaves a log line', async () => {
    const source = open();
    const starts: unknown[] = [];
    const onStart: ReportInput['onStart'] = ({ rows }) => starts.push({ rows, daysRead: source.log.days.length });
    await runReport({ query: QUERY, scope, settings: SETTINGS, source, onStart });
    expect(starts).toEqual([{ rows: 40, daysRead: 0 }]);
    expect(source.log.days).toHaveLength(1);
  });

  it('reads no facts where it is rejected for its cost', async () => {
    const rejected = new Error('one report too many');
    const source = open();
    const onStart = () => Promise.reject(rejected);
    await expect(runReport({ query: QUERY, scope, settings: SETTINGS, source, onStart })).rejects.toBe(rejected);
    expect(source.log.days).toEqual([]);
  });
});
