import { describe, expect, it } from 'vitest';
import { DIMENSION_NAMES, type DimensionName, dimensionOf } from '../../../shared/catalog/dimensions.ts';
import { METRIC_NAMES } from '../../../shared/catalog/metrics.ts';
import { REPORT_EXPERIENCES } from '../../../shared/catalog/tables.ts';
import { hasRollupKeys } from '../../../shared/layout/rollup-keys.ts';
import type { ReportQuery, ReportScope } from '../../../shared/report/query/query.ts';
import { runReport } from '../../../shared/report/run-report.ts';
import { type Random, randomFrom } from '../../oracle/random/random.ts';
import { randomDataset } from '../../oracle/random/random-facts.ts';
import { SETTINGS } from '../../support/report-settings.ts';
import { storedSource } from '../../support/stored-source.ts';

const SIZE = { rows: 4_000, users: 300, usersPerRow: 4 };
const data = randomDataset(randomFrom(77), SIZE);
const advertiserIds = [...new Set(data.facts.delivery.map((row) => row.advertiserId))].toSorted((a, b) => a - b);
const scope: ReportScope = { accountIds: new Set([1, 2, 3]), advertiserIds, ownAdvertiserIds: advertiserIds };

/** The dimensions of rollups, and those of market. */
const OF_AD_GROUPS = DIMENSION_NAMES.filter((name) => hasRollupKeys([dimensionOf(name).base]));
const OF_MARKET = DIMENSION_NAMES.filter((name) =>
  ['date', 'placement_id', 'division_banner', 'keyword'].includes(dimensionOf(name).base),
);

/** The texts of facts, by dimension. */
const TEXTS = new Map<DimensionName, readonly string[]>(
  (['keyword', 'division_banner', 'creative_key', 'conversion_source'] as const).map((name) => {
    const rows = [...data.facts.delivery, ...data.facts.conversions];
    return [name, [...new Set(rows.flatMap((row) => row[name] ?? []).map(String))]];
  }),
);

/** @returns a report that a rollup answers, or one with share of voice */
function randomQueryOver(seed: number): ReportQuery {
  const random = randomFrom(seed);
  const market = seed % 5 === 0;
  const allowed = market ? OF_MARKET : OF_AD_GROUPS;
  const metrics = market
    ? ['share_of_voice' as const, 'impressions' as const]
    : random.sample(METRIC_NAMES, 1 + random.int(METRIC_NAMES.length));
  const [startDate, endDate] = randomWindow(random);
  return {
    experience: random.pick(REPORT_EXPERIENCES),
    ...{ startDate, endDate, metrics },
    dimensions: random.sample(allowed, random.int(4)),
    filters: randomFilters(random, allowed),
    sort: [],
    pagination: { offset: 0, size: 1000 },
  };
}

/** @returns no filter, or one on a field, which may name a value that occurs only outside the period, or in another case */
function randomFilters(random: Random, fields: readonly DimensionName[]): ReportQuery['filters'] {
  const texts = fields.filter((name) => TEXTS.has(name));
  if (texts.length > 0 && random.chance(0.5)) {
    const field = random.pick(texts);
    const values = [
      ...new Set([random.pick(TEXTS.get(field) ?? []), random.pick(TEXTS.get(field) ?? []).toUpperCase()]),
    ];
    return [{ field, operator: 'IN', values }];
  }
  return random.chance(0.4) ? [{ field: random.pick(fields), operator: 'NOT_NULL', values: [] }] : [];
}

function randomWindow(random: Random): [string, string] {
  const start = random.pick(['2024-11-20', '2025-01-09', '2025-02-01']);
  return [start, random.chance(0.2) ? start : random.pick(['2025-02-28', '2025-03-17', '2025-05-10'])];
}

describe.each([
  ['of a usual network', data, true],
  ['of a usual network, with the measures of rollups stored separately', data, 'separate'],
  ['with sums beyond 2^53', randomDataset(randomFrom(78), SIZE, { largeMoney: true }), 'separate'],
] as const)('a report from rollups %s', (_, facts, rollups) => {
  it('equals the report from facts in every member, for 100 random reports', async () => {
    const fromFacts = await storedSource(facts, { rollups: false });
    const fromRollups = await storedSource(facts, { rollups });
    let rows = 0;
    for (let seed = 1; seed <= 100; seed++) {
      const query = randomQueryOver(seed);
      const input = { query, scope, settings: SETTINGS };
      const expected = await runReport({ ...input, source: fromFacts });
      expect(await runReport({ ...input, source: fromRollups }), JSON.stringify(query)).toEqual(expected);
      rows += expected.totalCount;
    }
    expect(fromRollups.log.rollups.length).toBeGreaterThan(10);
    expect(rows).toBeGreaterThan(1_000);
  });
});
