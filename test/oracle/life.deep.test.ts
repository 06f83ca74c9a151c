import { describe, expect, test } from 'vitest';
import type { Experience } from '../../shared/catalog/tables.ts';
import type { SegmentSource } from '../../shared/layout/segment-reads.ts';
import type { Progress } from '../../shared/load/check/load-report.ts';
import type { LoadOptions } from '../../shared/load/load-folder.ts';
import type { ReportQuery, ReportResult } from '../../shared/report/query/query.ts';
import { runReport } from '../../shared/report/run-report.ts';
import { readCommit } from '../../shared/store/commit/commits.ts';
import { openSegmentSource, SourceCaches } from '../../shared/store/segment-source.ts';
import type { Table } from '../../shared/store/table/table.ts';
import { loadRows } from '../load/support/load-rows.ts';
import { readDays, readTables } from '../load/support/read-stored-network.ts';
import {
  checkItems,
  checkRollups,
  openSource,
  sorted,
  withoutRollups,
  withoutShards,
} from '../load/write/check-rollups.ts';
import { dieAtCall, expireLease } from '../store/sample-load.ts';
import { SETTINGS } from '../support/report-settings.ts';
import { useEngine } from '../support/use-engine.ts';
import { differences } from './compare-results.ts';
import { Life, OWNERS } from './life/life.ts';
import { type Step, stepsOf } from './life/steps.ts';
import { type Random, randomFrom } from './random/random.ts';
import { randomOverview } from './random/random-overview.ts';
import { openOracle } from './sql/duckdb.ts';

/** Lives of a table, which start with seeds 1, 2 and so on. */
const LIVES = Number(process.env.LIVES ?? 2);
const STEPS = 60;
/** After so many steps, reports are also compared with DuckDB, which takes longer than the rest. */
const STEPS_PER_ORACLE = 6;
const MINUTE = 60_000;

describe('after every step of a life of the table, it has what it must have, and reports read it from any rollups', () => {
  const engine = useEngine();
  const seen = new Set<string>();

  test.each(Array.from({ length: LIVES }, (_, at) => at + 1))('life %i', { timeout: 900_000 }, async (seed) => {
    const life = new Life(seed);
    const random = randomFrom(seed + 1_000); // of its own, so that checks do not change the steps
    const made = await engine.createTable();
    const { table } = made;
    let now = Date.now();
    const load = ({ rows, replace }: Omit<Step, 'what'>, options: Partial<LoadOptions> = {}) =>
      loadRows(rows, options.table ?? table, { clock: () => now, ...(replace && { replace }), ...options });
    expect((await load({ rows: life.begin() })).problems).toEqual([]);
    const caches = new SourceCaches();
    const steps = stepsOf(life);
    for (let number = 1; number <= STEPS; number++) {
      const before = sorted(life.storedDays());
      const reader = await openSource(table);
      const step = steps.next().value;
      const place = `life ${seed}, step ${number} (${step.what})`;
      const { commit } = await readCommit(table);
      const interrupted = random.pick([undefined, undefined, undefined, 'abandoned', 'killed'] as const);
      if (interrupted === 'abandoned') {
        const abort = new AbortController();
        const onProgress = ({ stage }: Progress) => stage.startsWith('write') && abort.abort('abandoned');
        await expect(load(step, { signal: abort.signal, onProgress }), place).rejects.toBe('abandoned');
      } else if (interrupted === 'killed') {
        await load(step, { table: dieAtCall(table, 2 + random.int(60)) }).catch(() => undefined);
        await expireLease(table);
      }
      const isCommitted = (await readCommit(table)).commit > commit;
      if (!isCommitted) expect(sorted(await readDays(await openSource(table), OWNERS)), place).toEqual(before);
      const { outcome, problems } = await load(step);
      expect([outcome, problems], place).toEqual([expect.stringMatching(/^(loaded|unchanged)$/), []]);
      expect(sorted(await readDays(reader, OWNERS)), `${place}, a reader that began before it`).toEqual(before);
      await checkStored(life, table, place);
      await checkReports(life, random, table, place, caches);
      if (number % STEPS_PER_ORACLE === 0) await compareWithOracle(life, random, table, place);
      if (random.chance(0.5)) now += MINUTE; // the next load deletes what this one has superseded
      seen.add(step.what);
    }
    await checkItems(made, OWNERS);
  });

  test('every kind of step has been taken', () => {
    expect(seen.size).toBe(11);
  });
});

/** Compares what is stored of days and listings with the life, and rollups with the days. */
async function checkStored(life: Life, table: Table, place: string): Promise<void> {
  const source = await openSource(table);
  expect(sorted(await readDays(source, OWNERS)), place).toEqual(sorted(life.storedDays()));
  expect(sorted(await readTables(source, OWNERS)), place).toEqual(sorted(life.storedTables()));
  await checkRollups(source, OWNERS, place);
}

function scopeOf({ advertisers }: Life) {
  const advertiserIds = [...advertisers.keys()].sort((a, b) => a - b);
  return { accountIds: new Set([1]), advertiserIds, ownAdvertiserIds: advertiserIds };
}

/** Compares a report of advertisers and one of ad groups, which read shards and rollups, with those that read neither. @param caches those of an instance that has read the table after each step so far */
async function checkReports(
  life: Life,
  random: Random,
  table: Table,
  place: string,
  caches: SourceCaches,
): Promise<void> {
  const overview = randomOverview(random);
  const users = ['unique_user_impressions', 'unique_user_conversions'] as const;
  const byAdGroup: ReportQuery = {
    ...overview,
    dimensions: [...overview.dimensions, 'ad_group_id'],
    metrics: [...overview.metrics, ...users],
  };
  const cold = await openSource(table);
  const warm = openSegmentSource(table, await readCommit(table), caches);
  for (const query of [overview, byAdGroup]) {
    const of = `${place} ${JSON.stringify(query)}`;
    const run = (source: SegmentSource) => runReport({ query, scope: scopeOf(life), settings: SETTINGS, source });
    const [fromDays, fromRollups, fromShards] = [
      await run(withoutRollups(cold)),
      await run(withoutShards(cold)),
      await run(cold),
    ];
    expect(fromRollups, of).toEqual(fromDays);
    expect(figuresOf(fromShards), of).toEqual(figuresOf(fromDays));
    expect(await run(warm), of).toEqual(fromShards);
  }
}

/**
 * @returns the report without its version, and without warnings, which from shards name fewer advertisers. If no advertiser of it has delivery, only the rows: from
 * shards, their other tables are not known.
 */
function figuresOf({ meta, totals, ...report }: ReportResult) {
  return meta.data.from === null ? report : { ...report, totals, meta: { ...meta, dataVersion: '', warnings: [] } };
}

const METRICS = [
  ...(['impressions', 'clicks', 'cost', 'click_through_rate', 'unique_user_impressions'] as const),
  ...(['unique_user_conversions', 'halo_units', 'halo_revenue', 'halo_roas'] as const),
];
const NAMES = ['advertiser_name', 'campaign_id', 'campaign_name', 'ad_group_id', 'ad_group_name'] as const;

/** Everything that the table says, and what is read from rollups, heads, market and budgets. */
function queriesOf(experience: Experience): ReportQuery[] {
  const page = { filters: [], sort: [], pagination: { offset: 0, size: 10_000 } };
  const by = (dimensions: ReportQuery['dimensions'], metrics: ReportQuery['metrics'] = METRICS): ReportQuery => ({
    ...{ experience, startDate: '2026-02-20', endDate: '2026-03-10', metrics, dimensions, ...page },
  });
  return [
    by(['daily_date', 'hour', ...(experience === 'pla' ? (['keyword'] as const) : []), ...NAMES]),
    by(['month_date', ...NAMES]),
    by(['daily_date', 'campaign_id'], ['planned_cost', 'pacing']),
    by(['daily_date'], [...METRICS, ...(experience === 'pla' ? (['share_of_voice'] as const) : [])]),
  ];
}

/** Compares reports with DuckDB. */
async function compareWithOracle(life: Life, random: Random, table: Table, place: string): Promise<void> {
  const oracle = await openOracle(life.dataset());
  const source = await openSource(table);
  const scope = scopeOf(life);
  const [all, ...others] = queriesOf('pla');
  const some = [random.pick(others), random.pick(queriesOf(random.pick(['toa', 'carousel'])))];
  for (const query of all === undefined ? some : [all, ...some]) {
    const expected = await oracle.run(query, scope);
    const actual = await runReport({ query, scope, settings: SETTINGS, source });
    expect(differences(actual, expected).slice(0, 8), `${place} ${JSON.stringify(query)}`).toEqual([]);
  }
  oracle.close();
}
