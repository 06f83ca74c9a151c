import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createKey } from '../../../shared/identity/api-keys.ts';
import { loadFolder } from '../../../shared/load/load-folder.ts';
import { openTable } from '../../../shared/store/table/table.ts';
import { folderOf } from '../../load/support/folder.ts';
import { FACTS, type FolderRows, NETWORK } from '../../load/support/network-rows.ts';
import { startTestStage, type TestStage } from '../../support/stage.ts';
import { userIdKey } from '../../support/user-id-key.ts';
import { printFigures, randomOf, scaled } from '../support/budget.ts';
import { NO_LIMITS, toHttp } from '../support/demo-requests.ts';
import { type FaultProxy, openFaultProxy } from './fault-proxy.ts';

const LOADS = scaled(12);
/** On a busy machine, loads are slow and few reads come within a second after one: then more loads are needed for as many stale items. */
const MAX_LOADS = 5 * LOADS;
/** DynamoDB's eventually consistent reads are usually right within a second. */
const STALE_MS = 1_000;

const report = (dimensions: readonly string[]) =>
  toHttp(
    {
      ...{ method: 'POST', path: '/report/{experience_name}', pathParameters: { experience_name: 'pla' }, query: [] },
      body: {
        ...{ startDate: '2026-03-01', endDate: '2026-03-31', advertiserIds: [], filters: [], sort: [], dimensions },
        ...{ metrics: ['impressions', 'clicks', 'cost', 'halo_units'], pagination: { offset: 0, size: 100 } },
      },
    },
    'key-agency',
  );

/** Every load changes names and measures together, so a response with parts of two loads is the response of neither. */
const READS = [
  report(['ad_group_name', 'daily_date', 'keyword']),
  report(['ad_group_name']),
  report(['campaign_name', 'entity_name']),
];

const versionOf = (factor: number): FolderRows => ({
  ...NETWORK,
  ...FACTS,
  campaigns: (NETWORK.campaigns ?? []).map((row) => ({ ...row, name: `${row.name} ${factor}` })),
  ad_groups: (NETWORK.ad_groups ?? []).map((row) => ({ ...row, name: `${row.name} ${factor}` })),
  products: (NETWORK.products ?? []).map((row) => ({ ...row, name: `${row.name} ${factor}` })),
  'facts/pla/delivery': (FACTS['facts/pla/delivery'] ?? []).map((row) => ({
    ...row,
    impressions: Number(row.impressions) * factor,
  })),
  'facts/pla/conversions': (FACTS['facts/pla/conversions'] ?? []).map((row) => ({
    ...row,
    halo_units: 2 * factor,
    halo_exposed_units: 9 * factor,
  })),
});

let stage: TestStage;
let proxy: FaultProxy;
beforeAll(async () => {
  stage = await startTestStage();
  proxy = await openFaultProxy(stage.endpoint, randomOf(300), STALE_MS);
});
afterAll(async () => {
  await stage.close();
  await proxy[Symbol.asyncDispose]();
});

test('each report is of one load as a whole while loads run, though eventually consistent reads are a second late', async () => {
  const table = openTable({
    tableName: stage.table.name,
    endpoint: proxy.endpoint,
    region: 'us-east-1',
    requestMs: 30_000,
  });
  const load = async (factor: number) => {
    using folder = folderOf(versionOf(factor));
    expect((await loadFolder({ userIdKey, folder: folder.path, table, timeZone: 'America/New_York' })).outcome).toBe(
      'loaded',
    );
  };
  const late = stage.twin({ AWS_ENDPOINT_URL_DYNAMODB: proxy.endpoint });
  const right: Set<string>[] = READS.map(() => new Set());
  for (const factor of [1, 2]) {
    await load(factor);
    if (factor === 1) await createKey(stage.table, 'u-agency', { key: 'key-agency', ...NO_LIMITS });
    await sleep(STALE_MS + 1_500); // until caches and replicas are up to date
    for (const [i, request] of READS.entries()) {
      const response = await stage.request(request);
      expect(response.status, response.text).toBe(200);
      right[i]?.add(rowsOf(response.json()));
    }
  }
  expect(right.map(({ size }) => size)).toEqual(READS.map(() => 2));
  const figures = { loads: 0, right: 0, failed: 0, 'stale items': 0 };
  let loading = true;
  const readers = READS.map(async (request, i) => {
    while (loading) {
      const response = await late.request(request);
      if (response.status === 200) {
        expect([...(right[i] ?? [])]).toContain(rowsOf(response.json()));
        figures.right += 1;
      } else {
        expect(['STORE_BUSY', 'STORE_INCONSISTENT']).toContain(Object(response.json()).code);
        figures.failed += 1;
      }
    }
  });
  try {
    const isEnough = () => figures.loads >= LOADS && proxy.happened.stale > LOADS;
    for (; !isEnough() && figures.loads < MAX_LOADS; figures.loads++) await load(1 + (figures.loads % 2));
  } finally {
    loading = false;
    await Promise.all(readers);
  }
  figures['stale items'] = proxy.happened.stale;
  printFigures('faults, stale reads', figures);
  expect(figures.right).toBeGreaterThan(LOADS);
  expect(figures.failed).toBeLessThan(figures.right / 20);
  expect(figures['stale items']).toBeGreaterThan(LOADS);
});

function rowsOf(body: unknown): string {
  const { data, totals, totalCount } = Object(body);
  return JSON.stringify({ data, totals, totalCount });
}
