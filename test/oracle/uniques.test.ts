import { beforeAll, describe, expect, test } from 'vitest';
import type { DimensionName } from '../../shared/catalog/dimensions.ts';
import type { ReportQuery, ReportScope } from '../../shared/report/query/query.ts';
import { runReport } from '../../shared/report/run-report.ts';
import { SETTINGS } from '../support/report-settings.ts';
import { storedSource } from '../support/stored-source.ts';
import { randomFrom } from './random/random.ts';
import { randomDataset } from './random/random-facts.ts';
import { openOracle } from './sql/duckdb.ts';

const EXACT_TO = 8_192;
/** The README states a relative standard error of 1.6 % above EXACT_TO; 8 % is five of them. */
const MAX_ROOT_MEAN_SQUARE = 0.02;
const MAX_ERROR = 0.08;
const METRICS = ['unique_user_impressions', 'unique_user_conversions'] as const;
const GRAINS: readonly (readonly DimensionName[])[] = [
  [],
  ['experience_name', 'advertiser_id'],
  ['daily_date'],
  ['week_date', 'placement'],
  ['hour', 'advertiser_type'],
  ['campaign_id', 'month_date'],
  ['entity_id', 'creative_key'],
];
/** All advertisers of the random network that have facts. */
const SCOPE: ReportScope = {
  accountIds: new Set([1, 2, 3]),
  advertiserIds: [11, 12, 13, 15, 16],
  ownAdvertiserIds: [11, 12, 13, 15, 16],
};

/** @returns the counts of distinct users by the engine and by SQL, for all rows and totals of a report of each grain */
async function countUsers(): Promise<{ actual: number; expected: number }[]> {
  const data = randomDataset(randomFrom(6), { rows: 40_000, users: 60_000, usersPerRow: 30 });
  const source = await storedSource(data, { rollups: false });
  const oracle = await openOracle(data);
  const period = { startDate: '2024-12-01', endDate: '2025-04-30', filters: [], sort: [] };
  const pairs: { actual: number; expected: number }[] = [];
  for (const dimensions of GRAINS) {
    const page = { pagination: { offset: 0, size: 10_000 } };
    const query: ReportQuery = { experience: 'pla', ...period, ...page, metrics: METRICS, dimensions };
    const expected = await oracle.run(query, SCOPE);
    const actual = await runReport({ query, scope: SCOPE, settings: SETTINGS, source });
    expect(actual.data.length).toBe(expected.data.length);
    for (const [at, row] of [...actual.data, actual.totals].entries()) {
      const other = [...expected.data, expected.totals][at] ?? {};
      for (const name of METRICS) pairs.push({ actual: Number(row[name]), expected: Number(other[name]) });
    }
  }
  oracle.close();
  return pairs;
}

describe('distinct users', () => {
  const pairs: { actual: number; expected: number }[] = [];
  beforeAll(async () => {
    pairs.push(...(await countUsers()));
  });

  test('are exact up to 8,192', () => {
    const small = pairs.filter((pair) => pair.expected <= EXACT_TO);
    expect(small.length).toBeGreaterThan(100);
    expect(small.filter((pair) => pair.actual !== pair.expected)).toEqual([]);
  });

  test('have a root mean square error of at most 2 % above 8,192, and each is within 8 %', () => {
    const large = pairs.filter((pair) => pair.expected > EXACT_TO);
    const errors = large.map((pair) => pair.actual / pair.expected - 1);
    expect(large.length).toBeGreaterThan(15);
    expect(Math.sqrt(errors.reduce((sum, error) => sum + error * error, 0) / errors.length)).toBeLessThanOrEqual(
      MAX_ROOT_MEAN_SQUARE,
    );
    expect(errors.filter((error) => Math.abs(error) > MAX_ERROR)).toEqual([]);
  });
});
