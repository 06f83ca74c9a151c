import { describe, expect, test } from 'vitest';
import type { MetricDefinition } from '../../shared/catalog/definitions.ts';
import { DIMENSION_NAMES } from '../../shared/catalog/dimensions.ts';
import { METRIC_NAMES, metricOf } from '../../shared/catalog/metrics.ts';
import { REPORT_EXPERIENCES } from '../../shared/catalog/tables.ts';
import type { Filter, ReportQuery, ReportResult, ReportScope } from '../../shared/report/query/query.ts';
import { runReport } from '../../shared/report/run-report.ts';
import { type Random, randomFrom } from '../oracle/random/random.ts';
import { randomDataset } from '../oracle/random/random-facts.ts';
import { SETTINGS } from '../support/report-settings.ts';
import { storedSource } from '../support/stored-source.ts';

const random = randomFrom(41);
const generated = randomDataset(random, { rows: 4_000, users: 300, usersPerRow: 4 });
const freshness = [
  { experience: 'pla', advertiserId: 12, completeThrough: '2025-03-03' },
  { experience: 'toa', advertiserId: null, completeThrough: '2025-04-30' },
];
const data = { ...generated, tables: { ...generated.tables, freshness } };
const source = await storedSource(data);
const advertiserIds = data.tables.advertisers.map((advertiser) => Number(advertiser.id)).toSorted((a, b) => a - b);
const scope: ReportScope = { accountIds: new Set([1, 2, 3]), advertiserIds, ownAdvertiserIds: advertiserIds };
const run = (query: ReportQuery): Promise<ReportResult> => runReport({ query, scope, settings: SETTINGS, source });

const isAttribute = (name: string) => name.startsWith('ad_group_') || name.startsWith('campaign_');
const FILTERS: readonly Filter[] = [
  { field: 'daily_date', operator: 'NOT_IN', values: ['2025-03-02', '2025-03-09'] },
  { field: 'placement', operator: 'LIKE', values: ['s'] },
  { field: 'advertiser_id', operator: 'NOT_EQUALS', values: ['13'] },
  { field: 'ad_group_status', operator: 'NOT_EQUALS', values: ['PAUSED'] },
  { field: 'campaign_budget', operator: 'NOT_NULL', values: [] },
  { field: 'conversion_source', operator: 'NOT_NULL', values: [] },
];

function randomQuery(random: Random): ReportQuery {
  return {
    experience: random.pick(REPORT_EXPERIENCES),
    startDate: random.pick(['2024-11-20', '2025-01-09', '2025-03-01']),
    endDate: random.pick(['2025-03-17', '2025-05-10']),
    metrics: random.sample(METRIC_NAMES, 1 + random.int(METRIC_NAMES.length)),
    dimensions: random.sample(DIMENSION_NAMES, 1 + random.int(4)),
    filters: random.chance(0.5) ? random.sample(FILTERS, 1 + random.int(2)) : [],
    sort: [],
    pagination: { offset: 0, size: 10_000 },
  };
}

describe('totals', () => {
  test('without a metric filter are the one-row report of the same request, for every metric', async () => {
    let differing = 0;
    for (let seed = 1; seed <= 150; seed++) {
      const query = randomQuery(randomFrom(seed));
      const { totals, data: rows } = await run(query);
      const [whole = {}] = (await run({ ...query, dimensions: [] })).data;
      expect(totals, JSON.stringify(query)).toEqual(whole);
      if (query.metrics.some((name) => totals[name] !== null && rows.every((row) => row[name] === null))) differing++;
    }
    expect(differing).toBeGreaterThan(20); // reports with a metric that is defined in totals, but not in rows
  });

  test('with a metric filter cover exactly the kept rows, and share of voice is null', async () => {
    let compared = 0;
    for (let seed = 1; seed <= 150; seed++) {
      const random = randomFrom(1_000 + seed);
      const query = randomQuery(random);
      const field = random.pick(METRIC_NAMES.filter((name) => !isAttribute(name)));
      const filter: Filter = { field, operator: 'GREATER_THAN', values: [random.pick(['0', '1', '5', '100'])] };
      const metrics = [...new Set([...query.metrics, 'share_of_voice' as const])];
      const { totals, data: rows } = await run({ ...query, metrics, filters: [...query.filters, filter] });
      for (const name of query.metrics.filter(isPlainSum)) {
        if (rows.length === 0 || rows.some((row) => row[name] === null)) continue; // there is no row, or the metric is undefined in it
        const micros = rows.reduce((sum, row) => sum + Math.round(Number(row[name]) * 1e6), 0);
        expect(totals[name], `${name} ${JSON.stringify(query)}`).toBe(micros / 1e6);
        compared++;
      }
      expect(totals.share_of_voice).toBeNull();
    }
    expect(compared).toBeGreaterThan(40);
  });
});

function isPlainSum(name: ReportQuery['metrics'][number]): boolean {
  const definition: MetricDefinition = metricOf(name);
  return definition.kind === 'sum' && definition.divisor === undefined;
}
