import { describe, expect, test, vi } from 'vitest';

/** The catalogue reads the declarations when it is imported. */
vi.hoisted(() => {
  process.env.FIELDS_FILE = `${import.meta.dirname}/endcap.fields.json`;
});

import { DIMENSION_NAMES } from '../../shared/catalog/dimensions.ts';
import { METRIC_NAMES } from '../../shared/catalog/metrics.ts';
import { OPERATOR_NAMES } from '../../shared/catalog/operators.ts';
import { FACT_TABLES, measuresOf } from '../../shared/catalog/tables.ts';
import { decodeKeys } from '../../shared/columns/coded-keys.ts';
import { SHOPPER_BANDS } from '../../shared/columns/column.ts';
import { decodeColumn } from '../../shared/columns/kept-columns.ts';
import { decodeMeasure } from '../../shared/columns/measures.ts';
import { unpackRollup } from '../../shared/columns/pack.ts';
import { decodeShoppers } from '../../shared/columns/shopper-rows.ts';
import type { EncodedRollup } from '../../shared/layout/partitions.ts';
import type { SegmentSource } from '../../shared/layout/segment-reads.ts';
import { dayNumber, WEEKDAYS } from '../../shared/lib/calendar.ts';
import type { ReportQuery, ReportScope } from '../../shared/report/query/query.ts';
import { runReport } from '../../shared/report/run-report.ts';
import type { Dataset } from '../support/facts.ts';
import { SETTINGS } from '../support/report-settings.ts';
import { storedSource } from '../support/stored-source.ts';
import { ENGINES } from '../support/table.ts';
import { useEngine } from '../support/use-engine.ts';
import { differences } from './compare-results.ts';
import { type Random, randomFrom } from './random/random.ts';
import { randomDataset, type Traits } from './random/random-facts.ts';
import { randomQuery, randomScope, type ValuePool, valuePool } from './random/random-query.ts';
import { type Oracle, openOracle } from './sql/duckdb.ts';

const NETWORKS: ReadonlyMap<number, Traits> = new Map([
  [1, { unmeasured: true, withoutHours: true, credits: true, late: true }],
  [2, { largeIds: true }],
  [3, { largeMoney: true, late: true }],
  [
    4,
    {
      largeIds: true,
      largeMoney: true,
      unmeasured: true,
      credits: true,
      withoutHours: true,
      withoutDelivery: 'carousel',
    },
  ],
]);
/** `npm run test:deep` runs the others. */
const NETWORK_NUMBERS = (process.env.ORACLE_NETWORKS ?? '1').split(',').map(Number);
/** For a run at scale, set ORACLE_ROWS=1000000 and ORACLE_REPORTS=75 in the environment. */
const ROWS = Number(process.env.ORACLE_ROWS ?? 10_000);
const REPORTS_EACH = Number(process.env.ORACLE_REPORTS ?? 40);
/** With fewer reports per network, some metric or operator may not be drawn. */
const ENOUGH_REPORTS = 60;
/** Facts are stored in runs of so many days. */
const DAYS_PER_RUN = [7, 3, 1, 31];
/** The first day that may have facts, see `randomDataset`. */
const FIRST_DATE = '2024-12-01';
/** After all facts, within them, and before. */
const TODAYS = ['2025-12-31', '2025-12-31', '2025-04-09', '2025-03-18', '2025-01-20', '2024-11-30'];
/** Only for tests that hang: a report of 10,000 rows takes 1.4 seconds on a quiet machine, and many times as long on a busy one. */
const TIME_LIMIT_MS = 600_000 + REPORTS_EACH * (60_000 + ROWS / 10);

const engine = useEngine(ENGINES[0]);

interface ComparedReport {
  readonly query: ReportQuery;
  readonly rows: number;
  readonly through: string | null;
}

/**
 * Runs random reports over one random network in the engine and in SQL, and expects equal results. Seed 3017 is report 17 of network 3; SEED=3017
 * in the environment runs only that report.
 */
async function compareReports(network: number, numbers: readonly number[]): Promise<ComparedReport[]> {
  const size = { rows: ROWS, users: 500, usersPerRow: 4 };
  const data = randomDataset(randomFrom(network), size, NETWORKS.get(network));
  const { table } = await engine.createTable();
  const [daysPerRun = 1, rollups] = [DAYS_PER_RUN[network % 4], network === 4];
  const { source, expectUnchanged } = recordColumns(await storedSource(data, { table, daysPerRun, rollups }));
  const oracle = await openOracle(data);
  const pool = await valuePool(oracle, data);
  const compared: ComparedReport[] = [];
  for (const number of numbers) {
    const seed = network * 1000 + number;
    const { query, scope, settings, expected } = await drawReport(randomFrom(seed), data, pool, oracle, number);
    const actual = await runReport({ query, scope, settings, source, today: dayNumber(settings.today) });
    expect(differences(actual, expected).slice(0, 8), describeCase(seed, query, scope)).toEqual([]);
    compared.push({ query, rows: expected.totalCount, through: expected.dataCompleteThrough });
  }
  oracle.close();
  expectUnchanged();
  return compared;
}

/** @returns the source, which decodes its columns once, as a warm instance does, and a check that no report has changed what they were decoded to */
function recordColumns(source: SegmentSource) {
  const read = new Map<Uint8Array, string>();
  const rollups = new Map<Uint8Array, EncodedRollup>();
  const recording: SegmentSource = {
    ...source,
    runs: async function* (reads) {
      for await (const found of source.runs(reads)) {
        for (const [name, bytes] of found.columns) read.set(bytes, name);
        yield found;
      }
    },
    rollups: async function* (reads) {
      for await (const found of source.rollups(reads)) {
        rollups.set(found.encoded.packed, found.encoded);
        yield found;
      }
    },
  };
  const expectUnchanged = () => {
    const ofRollups = [...rollups.values()].flatMap((encoded) => [...unpackRollup(encoded, 'a rollup')]);
    const columns = [...Array.from(read, ([bytes, name]) => [name, bytes] as const), ...ofRollups];
    if (process.env.SEED === undefined) expect(columns.length).toBeGreaterThan(100);
    for (const [name, bytes] of columns) {
      const decode = decoderOf(name.split('/').at(-1) ?? '');
      expect(decodeColumn(bytes, name, decode)).toEqual(decode(bytes, name));
    }
  };
  return { source: recording, expectUnchanged };
}

function decoderOf(name: string): (column: Uint8Array, where: string) => object {
  if (SHOPPER_BANDS.some(({ column }) => column === name)) return decodeShoppers;
  return FACT_TABLES.flatMap(measuresOf).some((measure) => measure === name) ? decodeMeasure : decodeKeys;
}

/** @returns a random report and its result in SQL; three of four have several rows, because half of all would have at most one */
async function drawReport(random: Random, data: Dataset, pool: ValuePool, oracle: Oracle, number: number) {
  const mayBeShort = number % 4 === 3;
  for (;;) {
    const scope = randomScope(random, data);
    const query = await randomQuery(random, pool, async (sampled) => (await oracle.run(sampled, scope)).data, number);
    const marketMinOthers = random.pick([3, 3, 3, 2, 1, 0]);
    const weekStartsOn = random.pick(WEEKDAYS);
    const today = randomFrom(number + marketMinOthers).pick(TODAYS); // of its own, so that the other choices stay as they are
    const minUsers = randomFrom(number + 7 * marketMinOthers).pick([0, 0, 2, 5]);
    const settings = { ...SETTINGS, marketMinOthers, weekStartsOn, today, minUsers };
    const expected = await oracle.run(query, scope, settings);
    if (mayBeShort || expected.totalCount > 1) return { query, scope, settings, expected };
  }
}

function describeCase(seed: number, query: ReportQuery, scope: ReportScope): string {
  return `SEED=${seed} ${JSON.stringify({ query, accounts: [...scope.accountIds], advertisers: scope.advertiserIds })}`;
}

/** @returns where the day through which data is complete lies, relative to the period */
function placeOf(through: string | null, { startDate, endDate }: ReportQuery): string {
  if (through === null) return 'no day';
  if (through < FIRST_DATE) return 'before the first fact';
  if (through < startDate) return 'before the period';
  return through < endDate ? 'before its end' : 'at or after its end';
}

const idsOf = (rows: readonly { readonly id?: unknown }[]): number[] =>
  rows.map(({ id }) => Number(id)).sort((a, b) => a - b);

const only = Number(process.env.SEED ?? 0);
const allNumbers = Array.from({ length: REPORTS_EACH }, (_, number) => number);
const RUNS =
  only > 0
    ? [{ network: Math.floor(only / 1000), numbers: [only % 1000] }]
    : NETWORK_NUMBERS.map((network) => ({ network, numbers: allNumbers }));

describe('a report equals DuckDB SQL over the same rows', () => {
  const reports: ComparedReport[] = [];

  test.each(RUNS)(
    'for $numbers.length random reports over network $network',
    { timeout: TIME_LIMIT_MS },
    async ({ network, numbers }) => {
      const compared = await compareReports(network, numbers);
      expect(compared).toHaveLength(numbers.length);
      reports.push(...compared);
    },
  );

  if (only > 0) return;

  test('for a report of one group, and for one by the finest dimensions', { timeout: TIME_LIMIT_MS }, async () => {
    const data = randomDataset(randomFrom(5), { rows: ROWS, users: 500, usersPerRow: 4 });
    const { table } = await engine.createTable();
    const [source, oracle] = [await storedSource(data, { table }), await openOracle(data)];
    const advertiserIds = idsOf(data.tables.advertisers);
    const scope = { accountIds: new Set(idsOf(data.tables.accounts)), advertiserIds, ownAdvertiserIds: advertiserIds };
    /** @returns the number of groups */
    const compareByDimensions = async (dimensions: ReportQuery['dimensions'], offset: number): Promise<number> => {
      const query: ReportQuery = {
        ...{ experience: 'pla', startDate: FIRST_DATE, endDate: '2025-04-30', filters: [], dimensions },
        metrics: ['impressions', 'clicks', 'cost', 'click_through_rate', 'halo_revenue', 'halo_roas', 'hours_live'],
        sort: [{ field: 'cost', order: 'DESC' }],
        pagination: { offset, size: 1_000 },
      };
      const expected = await oracle.run(query, scope);
      const actual = await runReport({ query, scope, settings: SETTINGS, source });
      expect(differences(actual, expected).slice(0, 8)).toEqual([]);
      return expected.totalCount;
    };
    const finest = [
      'daily_date',
      'hour',
      'ad_group_id',
      'placement',
      'division_banner',
      'keyword',
      'entity_id',
    ] as const;
    expect(await compareByDimensions([], 0)).toBe(1);
    expect(await compareByDimensions(finest, 500)).toBeGreaterThan(ROWS / 10);
    oracle.close();
  });

  test('and most of the random reports, but not all, have several rows', () => {
    const long = reports.filter(({ rows }) => rows > 1).length;
    expect(long).toBeGreaterThan(reports.length / 2);
    if (REPORTS_EACH >= ENOUGH_REPORTS) expect(long).toBeLessThan(reports.length);
  });

  test.runIf(REPORTS_EACH >= ENOUGH_REPORTS && NETWORK_NUMBERS.length > 2)(
    'and the random reports use every metric, dimension and operator',
    () => {
      const queries = reports.map(({ query }) => query);
      const fields = queries.flatMap(({ metrics, dimensions }) => [...metrics, ...dimensions]);
      expect(new Set(fields)).toEqual(new Set([...METRIC_NAMES, ...DIMENSION_NAMES]));
      expect(new Set(queries.flatMap(({ filters }) => filters.map(({ operator }) => operator)))).toEqual(
        new Set(OPERATOR_NAMES),
      );
      const paced = reports.filter(({ query }) => query.metrics.includes('pacing'));
      expect(new Set(paced.map(({ query, through }) => placeOf(through, query)))).toEqual(
        new Set(['no day', 'before the first fact', 'before the period', 'before its end', 'at or after its end']),
      );
    },
  );
});
