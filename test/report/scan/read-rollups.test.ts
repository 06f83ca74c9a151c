import { describe, expect, it } from 'vitest';
import { DIMENSION_NAMES, dimensionOf } from '../../../shared/catalog/dimensions.ts';
import { METRIC_NAMES } from '../../../shared/catalog/metrics.ts';
import { EXPERIENCES } from '../../../shared/catalog/tables.ts';
import type { ReportQuery, ReportScope } from '../../../shared/report/query.ts';
import { runReport } from '../../../shared/report/run-report.ts';
import { randomFrom } from '../../oracle/random/random.ts';
import { randomDataset } from '../../oracle/random/random-facts.ts';
import { memorySource } from '../../support/memory-source.ts';
import { SETTINGS } from '../../support/report-settings.ts';

const data = randomDataset(randomFrom(77), { rows: 6_000, users: 300, usersPerRow: 4 });
const base = memorySource(data);
const rolledUp = memorySource(data, { rollups: true });
const advertiserIds = [...new Set(data.facts.delivery.map((row) => row.advertiserId))].toSorted((a, b) => a - b);
const scope: ReportScope = { accountIds: new Set([1, 2, 3]), advertiserIds, ownAdvertiserIds: advertiserIds };

/** The dimensions of rollups by ad group and day, and others that market has. */
const OF_AD_GROUPS = DIMENSION_NAMES.filter((name) =>
  ['date', 'ad_group_id', 'advertiser', 'experience'].includes(dimensionOf(name).base),
);
const OF_MARKET = DIMENSION_NAMES.filter((name) =>
  ['date', 'placement_id', 'division_banner', 'keyword'].includes(dimensionOf(name).base),
);

function randomQueryOver(seed: number): ReportQuery {
  const random = randomFrom(seed);
  const some = <T>(list: readonly T[], max: number) => random.sample(list, random.int(max + 1));
  const market = seed % 4 === 0;
  const dimensions = some(market ? OF_MARKET : OF_AD_GROUPS, 3);
  const metrics = market
    ? ['share_of_voice' as const, 'impressions' as const]
    : random.sample(METRIC_NAMES, 1 + random.int(METRIC_NAMES.length));
  const filters = random.chance(0.3)
    ? [{ field: random.pick(market ? OF_MARKET : OF_AD_GROUPS), operator: 'NOT_NULL' as const, values: [] }]
    : [];
  return {
    experience: random.pick(EXPERIENCES),
    startDate: random.pick(['2024-11-20', '2025-01-09', '2025-02-01']),
    endDate: random.pick(['2025-02-28', '2025-03-17', '2025-05-10']),
    metrics,
    dimensions,
    filters,
    sort: [],
    pagination: { offset: 0, size: 1000 },
  };
}

describe('a report from rollups', () => {
  it('equals the report from facts in every member, for 100 random reports', async () => {
    let rows = 0;
    for (let seed = 1; seed <= 100; seed++) {
      const query = randomQueryOver(seed);
      const input = { query, scope, settings: SETTINGS };
      const expected = await runReport({ ...input, source: base });
      expect(await runReport({ ...input, source: rolledUp }), JSON.stringify(query)).toEqual(expected);
      rows += expected.totalCount;
    }
    expect(rolledUp.log.rollups.length).toBeGreaterThan(300);
    expect(rows).toBeGreaterThan(1_300);
  });

  it('reads no days of facts', async () => {
    const source = memorySource(data, { rollups: true });
    const query: ReportQuery = {
      ...randomQueryOver(1),
      metrics: ['cost', 'unique_user_impressions', 'pacing', 'hours_live', 'halo_roas'],
      dimensions: ['campaign_name', 'week_date'],
      filters: [],
    };
    await runReport({ query, scope, settings: SETTINGS, source });
    expect(source.log.days).toEqual([]);
    expect(source.log.rollups.length).toBeGreaterThan(0);
  });

  it.each([['hour'], ['placement'], ['entity_id'], ['creative_name']] as const)(
    'is not possible by %s, which rollups lack: it reads days of facts',
    async (dimension) => {
      const source = memorySource(data, { rollups: true });
      await runReport({
        query: { ...randomQueryOver(1), metrics: ['cost'], dimensions: [dimension], filters: [] },
        scope,
        settings: SETTINGS,
        source,
      });
      expect(source.log.rollups).toEqual([]);
      expect(source.log.days.length).toBeGreaterThan(0);
    },
  );
});
