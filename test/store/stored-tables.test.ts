import { globSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { createKey } from '../../shared/identity/api-keys.ts';
import { TABLE_FORMAT } from '../../shared/store/commit/commit-state.ts';
import { STATE_KEY } from '../../shared/store/table/item-keys.ts';
import { reportRequest, type TestRequest } from '../http/support/gateway-event.ts';
import { type FunctionName, openTestService } from '../http/support/test-service.ts';
import { FACTS, type FolderRows, NETWORK } from '../load/support/network-rows.ts';
import { readSource } from '../rules/source-files.ts';
import { KEY, openStored, readTable, type StoredTable, send } from './stored-table.ts';

/** Stores a small table of the present format, and its responses. */
async function writeTable(): Promise<void> {
  const service = await openTestService({ files: { ...NETWORK, ...FACTS, ...LARGE_DAYS }, users: [] });
  await service.load({
    users: NETWORK.users?.slice(0, 1) ?? [],
    'facts/pla/activity': FACTS['facts/pla/activity'] ?? [],
    deletions: [{ experience: 'pla', table: 'delivery', advertiserId: 10, day: '2026-03-03' }],
  });
  const contacts = (name: string) => (NETWORK.contacts ?? []).map((row) => ({ ...row, lastName: name }));
  for (let load = 0; load < 51; load++) await service.load({ contacts: contacts(`Name ${load}`) }); // a head packs all but 50 versions
  await createKey(service.table, 'u-agency', { key: KEY, days: 3_650 });
  const items = await service.content();
  const exchanges: StoredTable['exchanges'][number][] = [];
  for (const [name, request] of REQUESTS)
    exchanges.push({ name, request, response: await send(service, name, request) });
  await service.close();
  const content = gzipSync(JSON.stringify({ items, exchanges }, encodeBytes), { level: 9 });
  writeFileSync(join(import.meta.dirname, `format-${TABLE_FORMAT}.json.gz`), content);
}

/** A month of days that are one item each, and of one that has an item per column. */
const LARGE_DAYS: FolderRows = {
  'facts/pla/delivery': [
    ...(FACTS['facts/pla/delivery'] ?? []),
    ...Array.from({ length: 28 }, (_, i) =>
      rowsOf(`2026-02-${String(i + 1).padStart(2, '0')}`, i < 27 ? 200 : 6_000),
    ).flat(),
  ],
};

function rowsOf(daily_date: string, count: number) {
  return Array.from({ length: count }, (_, i) => ({
    daily_date,
    hour: i % 24,
    ad_group_id: [1000, 1001, 1100][i % 3] ?? 1000,
    placement_id: 1 + (i % 2),
    keyword: `keyword ${i}`,
    search_term: `term ${i % 50}`,
    measurable_impressions: 60_000 + (i % 90),
    impressions: 70_000 + (i % 100),
    clicks: 300 + (i % 10),
    cost: `${1_000 + (i % 50)}.5`,
    users: [`user ${i % 20}`],
  }));
}

const report = (change: object): [FunctionName, TestRequest] => {
  const request = {
    startDate: '2026-01-01',
    endDate: '2026-03-31',
    filters: [],
    sort: [],
    advertiserIds: [],
    ...change,
  };
  const { key: _, ...sent } = reportRequest(JSON.stringify({ pagination: { offset: 0, size: 20 }, ...request }));
  return ['submit-report', sent];
};

const ofAccount: TestRequest = { query: [['account_id', '1']] };
const REQUESTS: readonly (readonly [FunctionName, TestRequest])[] = [
  ['list-accounts', {}],
  ['list-advertisers', ofAccount],
  ['list-contacts', ofAccount],
  ['list-addresses', ofAccount],
  ['list-placements', {}],
  ['list-campaigns', ofAccount],
  ['list-ad-groups', ofAccount],
  ['list-available-products', { pathParameters: { ad_group_id: '1001' } }],
  report({ metrics: ['impressions', 'cost', 'halo_revenue'], dimensions: ['advertiser_name', 'month_date'] }),
  report({ metrics: ['impressions', 'clicks', 'unique_user_impressions'], dimensions: ['ad_group_name'] }),
  report({ metrics: ['impressions', 'share_of_voice'], dimensions: ['daily_date', 'keyword', 'creative_name'] }),
];

function encodeBytes(_name: string, value: unknown): unknown {
  return value instanceof Uint8Array ? { base64: Buffer.from(value).toString('base64') } : value;
}

/**
 * Each released format has a file here; the present one may change until 1.0.0, and its file is then written again, as before each release:
 * `WRITE_TABLE=1 npm exec -- vitest run test/store/stored-tables.test.ts`.
 */
if (process.env.WRITE_TABLE !== undefined) await writeTable();

const files = globSync('*.gz', { cwd: import.meta.dirname });

test('the present format has a table here', () => {
  expect(files).toContain(`format-${TABLE_FORMAT}.json.gz`);
});

test('the pages name the present format', () => {
  expect(readSource('shared/store/README.md')).toContain(`has the format of the table, ${TABLE_FORMAT} so far`);
  expect(readSource('CHANGELOG.md')).toContain(`tables of [format ${TABLE_FORMAT}](shared/store/README.md#format)`);
});

test.each(files)('%s gives the responses of its release', async (file) => {
  const { items, exchanges } = readTable(file);
  const service = await openStored(items);
  for (const { name, request, response } of exchanges) {
    expect(await send(service, name, request)).toMatchObject(response); // items may have new members
  }
  await service.load({ contacts: NETWORK.contacts ?? [], ...FACTS });
  await service.close();
});

test.each([TABLE_FORMAT - 1, TABLE_FORMAT + 1])(
  'the functions and the loader reject format %i by name',
  async (format) => {
    const service = await openTestService();
    await service.table.update(STATE_KEY, { text: 'SET #format = :next', values: { next: format } });
    const before = await service.content();
    const message = `the table has format ${format}, and this version of Endcap reads only format ${TABLE_FORMAT}: use the version that has loaded it`;
    await expect(service.load({ 'facts/pla/delivery': [] })).rejects.toThrow(message);
    expect(await service.content()).toEqual(before);
    const { status } = await (await service.start()).send('list-accounts', { key: 'key-ana' });
    expect(status).toBe(500);
    expect(JSON.stringify(service.logged)).toContain(message);
    await service.close();
  },
);
