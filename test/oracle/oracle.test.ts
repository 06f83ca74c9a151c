import { describe, expect, test } from 'vitest';
import { DIMENSION_NAMES } from '../../shared/catalog/dimensions.ts';
import { METRIC_NAMES } from '../../shared/catalog/metrics.ts';
import { OPERATORS, type ReportQuery, type ReportScope } from '../../shared/report/query.ts';
import { runReport } from '../../shared/report/run-report.ts';
import { memorySource } from '../support/memory-source.ts';
import { differences } from './compare-answers.ts';
import { openOracle } from './duckdb.ts';
import { EXACT_METRICS } from './metric-sql.ts';
import { randomFrom } from './random.ts';
import { randomDataset } from './random-facts.ts';
import { randomQuery, randomScope, valuePool } from './random-query.ts';

const SETTINGS = {
  timezone: 'America/New_York',
  currency: 'USD',
  attribution: { windowDays: 14, basis: 'conversion day' },
} as const;
const DATASETS = [1, 2, 3, 4, 5];
const REPORTS_EACH = 50;

interface Asked {
  readonly seed: number;
  readonly query: ReportQuery;
  readonly rows: number;
}

/** Asks both sides for one dataset's random reports. Seed 3017 is report 17 of dataset 3; SEED=3017 in the environment runs that one alone. */
async function askAll(dataset: number, rows: number, reports: readonly number[]): Promise<Asked[]> {
  const data = randomDataset(randomFrom(dataset), { rows, users: 500 });
  const source = memorySource(data);
  const oracle = await openOracle(data);
  const pool = await valuePool(oracle, data);
  const asked: Asked[] = [];
  for (const report of reports) {
    const seed = dataset * 1000 + report;
    const random = randomFrom(seed);
    const scope = randomScope(random, data);
    const query = await randomQuery(random, pool, async (it) => (await oracle.ask(it, scope)).data);
    const expected = await oracle.ask(query, scope);
    const actual = await runReport({ query, scope, settings: SETTINGS, source });
    expect(differences(actual, expected, EXACT_METRICS).slice(0, 8), describeCase(seed, query, scope)).toEqual([]);
    asked.push({ seed, query, rows: expected.totalCount });
  }
  oracle.close();
  return asked;
}

function describeCase(seed: number, query: ReportQuery, scope: ReportScope): string {
  return `SEED=${seed} ${JSON.stringify({ query, accounts: [...scope.accountIds], advertisers: scope.advertiserIds })}`;
}

describe('a report equals DuckDB SQL over the same rows', () => {
  const one = Number(process.env.SEED ?? 0);
  if (one > 0) {
    test(`at seed ${one}`, async () => {
      await askAll(Math.floor(one / 1000), 20_000, [one % 1000]);
    });
    return;
  }
  const asked: Asked[] = [];

  test.each(DATASETS)(`at ${REPORTS_EACH} random reports over network %i`, async (dataset) => {
    asked.push(
      ...(await askAll(
        dataset,
        20_000,
        Array.from({ length: REPORTS_EACH }, (_, at) => at),
      )),
    );
  });

  test('the random reports use every metric, dimension and operator, and most have rows', () => {
    const queries = asked.map((it) => it.query);
    const fields = queries.flatMap(({ metrics, dimensions }) => [...metrics, ...dimensions]);
    expect(new Set(fields)).toEqual(new Set([...METRIC_NAMES, ...DIMENSION_NAMES]));
    expect(new Set(queries.flatMap((it) => it.filters.map((filter) => filter.operator)))).toEqual(new Set(OPERATORS));
    expect(asked.filter((it) => it.rows > 1).length).toBeGreaterThan(asked.length / 2);
  });
});
