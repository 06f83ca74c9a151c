import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fileMeasuresOf } from '../../shared/catalog/tables.ts';
import { createKey } from '../../shared/identity/api-keys.ts';
import { integerOf } from '../../shared/load/schema/text-ids.ts';
import { outcomeOf } from '../load/support/load-rows.ts';
import type { FolderRows } from '../load/support/network-rows.ts';
import type { LoadRow } from '../real/write-folder.ts';
import { codeBlocksOf } from '../rules/pages.ts';
import { installPythonTools, type PythonTools } from '../support/python-tools.ts';
import { startTestStage, type TestStage } from '../support/stage.ts';
import { startServer } from '../support/start-server.ts';

const PROGRAM = join(import.meta.dirname, '../../functions/warehouse.py');

const folder = mkdtempSync(join(tmpdir(), 'endcap-warehouse-'));
let stage: TestStage;
let tools: PythonTools;
let key: string;
beforeAll(async () => {
  tools = installPythonTools('clients/requirements.txt', ['requests', 'duckdb']);
  stage = await startTestStage();
});
afterAll(async () => {
  await stage.close();
  rmSync(folder, { recursive: true });
});

/** The network; text ids are those of an ad group with facts. Ana sees account 1. */
const LISTINGS = {
  accounts: [
    { id: 1, name: 'One' },
    { id: 2, name: 'Two' },
  ],
  users: [{ userId: 'ana', name: 'Ana', userType: 'AGENCY', accountIds: [1] }],
  advertisers: [
    { id: 10, name: 'Ten', accountId: 1 },
    { id: 11, name: 'Eleven', accountId: 1 },
    { id: 12, name: 'Twelve', accountId: 2 },
  ],
  placements: [
    { id: 1, name: 'Search, "top"', experiences: ['pla', 'toa'] },
    { id: 2, name: 'Home', experiences: ['carousel', 'pla'] },
  ],
  products: [{ id: 20, advertiserId: 10, upc: '11', name: 'Oats' }],
  creatives: [{ key: 'k1', name: 'Banner', advertiserId: 10 }],
  campaigns: [
    { id: 100, name: 'Spring', advertiserId: 10, status: 'ACTIVE', startDate: '2026-02-01' },
    { id: 110, name: 'Always', advertiserId: 11, status: 'ACTIVE', startDate: '2026-02-01' },
    { id: 120, name: 'Foreign', advertiserId: 12, status: 'ACTIVE', startDate: '2026-02-01' },
  ],
  ad_groups: [
    { id: 1000, name: 'Wide', campaignId: 100, status: 'ACTIVE' },
    { id: 'ag_narrow', name: 'Narrow', campaignId: 100, status: 'PAUSED' },
    { id: 1100, name: 'Other', campaignId: 110, status: 'ACTIVE' },
    { id: 1200, name: 'Foreign', campaignId: 120, status: 'ACTIVE' },
  ],
} satisfies FolderRows;

/** The key columns and measures of the copied tables, with what a report names them. */
const KEYS = ['hour', 'ad_group_id', 'placement', 'division_banner', 'keyword', 'entity_id', 'creative_key'];
const TABLES: Readonly<Record<string, { keys: readonly string[]; measures: readonly string[] }>> = {
  delivery: {
    keys: [...KEYS, 'match_type', 'search_term'],
    measures: fileMeasuresOf('delivery'),
  },
  conversions: {
    keys: [...KEYS, 'match_type', 'search_term', 'conversion_source', 'purchased_entity_id'],
    measures: fileMeasuresOf('conversions'),
  },
  activity: { keys: ['hour', 'ad_group_id'], measures: ['live_seconds', 'scheduled_seconds'] },
};

type Row = Readonly<Record<string, unknown>>;
/** What is loaded: the listings, and the rows of facts by experience, table, advertiser and day, with the columns that any row of the file has on the day. */
const loaded = {
  listings: LISTINGS as FolderRows,
  facts: new Map<string, { readonly rows: readonly LoadRow[]; readonly columns: ReadonlySet<string> }>(),
};

const idOf = (id: unknown) => (/^\d+$/.test(String(id)) ? Number(id) : integerOf(String(id)));
const find = (listing: string, id: unknown): Row =>
  loaded.listings[listing]?.find((row) => idOf(row.id) === idOf(id)) ?? {};
const campaignOf = (adGroupId: unknown) => find('campaigns', find('ad_groups', adGroupId).campaignId);
const isVisible = (advertiserId: unknown) => find('advertisers', advertiserId).accountId === 1;

/** For how long the service may answer GET /metadata/changes from what it has read, in milliseconds. */
const CHANGES_AGE = 1_000;

/** Loads what the night brings, and keeps the rows in mind as the loader's documentation says. */
async function load(night: FolderRows): Promise<void> {
  expect(await outcomeOf(night, stage.table, { timeZone: stage.timeZone })).toEqual(['loaded']);
  const listings = Object.entries(night).filter(([name]) => !name.startsWith('facts/') && name !== 'deletions');
  loaded.listings = { ...loaded.listings, ...Object.fromEntries(listings) };
  for (const { experience, table, advertiserId, day } of night.deletions ?? [])
    loaded.facts.delete(`${experience}/${table}/${advertiserId}/${day}`);
  for (const [file, rows] of Object.entries(night)) {
    if (!file.startsWith('facts/')) continue;
    for (const [day, ofDay] of Map.groupBy(rows, (row) => row.daily_date)) {
      const columns = new Set(ofDay.flatMap((row) => Object.keys(row).filter((name) => row[name] !== undefined)));
      for (const [advertiserId, own] of Map.groupBy(ofDay, (row) => campaignOf(row.ad_group_id).advertiserId))
        loaded.facts.set(`${file.slice('facts/'.length)}/${advertiserId}/${day}`, { rows: own, columns });
    }
  }
  await setTimeout(CHANGES_AGE);
}

/** @returns the rows that the copy must have of the table: those of the files, equal keys summed; a measure that no row of the file has on the day is unknown */
function expectedRows(table: string): Row[] {
  const { keys = [], measures = [] } = TABLES[table] ?? {};
  return [...loaded.facts].flatMap(([name, { rows, columns }]) => {
    const [experience = '', ofTable, advertiserId, day] = name.split('/');
    if (ofTable !== table || !isVisible(advertiserId)) return [];
    const known = measures.filter((measure) => columns.has(measure));
    const keyed = rows.map((row) => ({ row, key: keysOfRow(row, keys) }));
    return [...Map.groupBy(keyed, ({ key }) => JSON.stringify(key)).values()].map((equal) => {
      const sums = known.map((measure) => {
        const micros = equal.reduce((sum, { row }) => sum + Math.round(Number(row[measure] ?? 0) * 1e6), 0);
        return [measure, micros / 1e6];
      });
      const own = { experience_name: experience, advertiser_id: Number(advertiserId), daily_date: day };
      return { ...own, ...equal[0]?.key, ...Object.fromEntries(sums) };
    });
  });
}

function keysOfRow(row: LoadRow, keys: readonly string[]): Row {
  const upc = (value: unknown) => (value === undefined ? undefined : String(value).padStart(13, '0'));
  const changed: Row = {
    ...row,
    ad_group_id: idOf(row.ad_group_id),
    placement: find('placements', row.placement_id).name,
    entity_id: upc(row.entity_id),
    purchased_entity_id: upc(row.purchased_entity_id),
  };
  return Object.fromEntries(
    keys.flatMap((key) => ([undefined, ''].includes(changed[key] as string) ? [] : [[key, changed[key]]])),
  );
}

/** @returns the names that the copy must have: of ad groups with facts */
function expectedNames(): Row[] {
  const withFacts = new Set(
    [...loaded.facts.values()].flatMap(({ rows }) => rows.map(({ ad_group_id }) => idOf(ad_group_id))),
  );
  return [...withFacts].flatMap((id) => {
    const [adGroup, campaign] = [find('ad_groups', id), campaignOf(id)];
    if (!isVisible(campaign.advertiserId)) return [];
    return [
      {
        advertiser_id: campaign.advertiserId,
        advertiser_name: find('advertisers', campaign.advertiserId).name,
        campaign_id: campaign.id,
        campaign_name: campaign.name,
        ad_group_id: id,
        ad_group_name: adGroup.name,
        campaign_status: campaign.status,
        ad_group_status: adGroup.status,
      },
    ];
  });
}

/** Runs the program as it is, or with other texts. */
async function run(file: string, { url, replace = [] }: RunOptions = {}): Promise<void> {
  const program = replace.reduce((text, [from, to]) => text.replaceAll(from, to), readFileSync(PROGRAM, 'utf8'));
  const script = join(folder, 'warehouse.py');
  writeFileSync(script, program);
  const env = { ...process.env, ENDCAP_URL: url ?? (await stage.url()), ENDCAP_KEY: key };
  await promisify(execFile)(tools.bin('python'), [script, join(folder, file)], { env });
}
interface RunOptions {
  readonly url?: string;
  readonly replace?: readonly (readonly [string, string])[];
}

const COPY = 'copy.duckdb';
/** A copy whose pages have three rows. */
const PAGED = 'paged.duckdb';

async function readCopy(file = COPY): Promise<Readonly<Record<string, readonly Row[]>>> {
  const script = join(import.meta.dirname, 'read_warehouse.py');
  const options = { maxBuffer: 1e8 };
  const { stdout } = await promisify(execFile)(tools.bin('python'), [script, join(folder, file)], options);
  return JSON.parse(stdout);
}

/** Runs statements in the copy. */
async function inCopy(file: string, sql: string): Promise<void> {
  const code = 'import duckdb, sys; duckdb.connect(sys.argv[1]).execute(sys.argv[2])';
  await promisify(execFile)(tools.bin('python'), ['-c', code, join(folder, file), sql]);
}

const sorted = (rows: readonly Row[]): string[] =>
  rows
    .map((row) =>
      JSON.stringify(
        Object.entries(row)
          .filter(([, value]) => value !== null)
          .sort(),
      ),
    )
    .sort();

/** @returns the row with the seconds that its hours and their share are made of; where nothing is live, what was scheduled is not there */
function withSeconds({ hours_live: hours, time_live: share, ...row }: Row): Row {
  const live = Math.round(Number(hours) * 3600);
  return { ...row, live_seconds: live, scheduled_seconds: live === 0 ? null : Math.round(live / Number(share)) };
}

/** Copies what has changed, and compares the copy with the files. */
async function copyNight(files: readonly string[] = [COPY]): Promise<void> {
  for (const file of files) {
    await run(file, file === PAGED ? { replace: [['50_000', '3']] } : {});
    const { activity = [], ...copied } = await readCopy(file);
    for (const table of ['delivery', 'conversions'])
      expect({ file, table, rows: sorted(copied[table] ?? []) }).toEqual({
        file,
        table,
        rows: sorted(expectedRows(table)),
      });
    const scheduled = expectedRows('activity').map((row) =>
      row.live_seconds === 0 ? { ...row, scheduled_seconds: null } : row,
    );
    expect(sorted(activity.map(withSeconds))).toEqual(sorted(scheduled));
    expect(sorted(copied.names ?? [])).toEqual(sorted(expectedNames()));
  }
}

/** A row of delivery of the ad group. */
const delivery = (daily_date: string, ad_group_id: string | number, row: LoadRow = {}): LoadRow => ({
  ...{ daily_date, hour: 9, ad_group_id, placement_id: 1, division_banner: 'North', keyword: 'oat milk' },
  ...{ entity_id: '11', impressions: 100, clicks: 3, cost: 1.25, ...row },
});
const sale = (daily_date: string, ad_group_id: string | number, row: LoadRow = {}): LoadRow => ({
  ...{ daily_date, hour: 20, ad_group_id, placement_id: 1, keyword: 'oat milk', entity_id: '11' },
  ...{ conversion_source: 'ONLINE', purchased_entity_id: '12', halo_transactions: 1, halo_units: 2 },
  ...{ halo_revenue: 4.99, halo_exposed_transactions: 2, halo_exposed_units: 3, halo_exposed_revenue: 7.49, ...row },
});
const live = (daily_date: string, ad_group_id: string | number, live_seconds: number): LoadRow => {
  return { daily_date, hour: 9, ad_group_id, live_seconds, scheduled_seconds: 3600 };
};

test('the first copy has every row of the files: texts of any kind, credits, zeros and what is unknown', async () => {
  const texts = ['', 'say "rye"', 'a,b', 'two\nlines', 'tab\tnan', 'NULL', '=1+1', '007', 'ö 𝄞', "it's"];
  await load({
    ...LISTINGS,
    'facts/pla/delivery': [
      ...texts.map((keyword, hour) => delivery('2026-02-26', 1000, { hour, keyword, impressions: 10 + hour })),
      delivery('2026-02-26', 'ag_narrow', { creative_key: 'k1', match_type: 'EXACT', search_term: 'oat, milk' }),
      delivery('2026-02-26', 'ag_narrow', { creative_key: 'k1', match_type: 'EXACT', search_term: 'oat, milk' }),
      delivery('2026-02-26', 1000, { hour: 22, impressions: 0, clicks: 0, cost: 0 }),
      delivery('2026-02-26', 1000, { hour: 23, impressions: 0, clicks: 0, cost: -5.000001 }),
      delivery('2026-02-27', 1000, { cost: 900_719_925.474099, opportunities: 2 ** 53 - 1 }),
      ...[1100, 1200].map((id) => delivery('2026-02-26', id, { placement_id: 2, clicks: undefined })),
      delivery('2020-01-01', 1100),
    ],
    'facts/pla/conversions': [
      sale('2026-02-26', 1000),
      sale('2026-02-26', 1000, { purchased_entity_id: '11', conversion_source: 'IN_STORE', halo_revenue: 0.01 }),
      sale('2026-02-26', 1000, { hour: 21, halo_transactions: -1, halo_units: -2, halo_revenue: -4.99 }),
      sale('2026-02-27', 1100, { keyword: undefined, new_to_brand_transactions: 1 }),
    ],
    'facts/pla/activity': [
      live('2026-02-26', 1000, 3600),
      live('2026-02-26', 'ag_narrow', 1234),
      live('2026-02-27', 1100, 0),
    ],
    'facts/toa/delivery': [
      { daily_date: '2026-02-26', ad_group_id: 1100, impressions: 7, video_starts: 5, video_total_duration: 1.125 },
    ],
  });
  ({ key } = await createKey(stage.table, 'ana'));
  await copyNight([COPY, PAGED]);
});

test('a new day comes, with an ad group that had no facts', async () => {
  await load({
    ad_groups: [...LISTINGS.ad_groups, { id: 1101, name: 'New', campaignId: 110, status: 'ACTIVE' }],
    'facts/pla/delivery': [delivery('2026-02-28', 1101), delivery('2026-02-28', 1000, { keyword: 'rye' })],
    'facts/pla/conversions': [sale('2026-02-28', 1101)],
    'facts/pla/activity': [live('2026-02-28', 1101, 1800)],
  });
  await copyNight();
});

test('a day is restated with other keys and a later credit, and another comes with fewer measures', async () => {
  await load({
    'facts/pla/delivery': [
      delivery('2026-02-26', 1000, { keyword: 'oat milk', impressions: 99 }),
      delivery('2026-02-26', 'ag_narrow', { hour: 3, placement_id: undefined, entity_id: undefined }),
      delivery('2026-02-28', 1000, { hour: 0, keyword: 'rye', impressions: 0, clicks: 0, cost: -0.75 }),
    ],
    'facts/pla/conversions': [sale('2026-02-26', 1000, { halo_units: 3 })],
    'facts/toa/delivery': [{ daily_date: '2026-02-26', ad_group_id: 1100, impressions: 8 }],
  });
  await copyNight([COPY, PAGED]);
});

test('credits come for days that have none or other rows', async () => {
  const credit = { impressions: 0, clicks: 0, cost: -3.5 };
  await load({
    'facts/pla/delivery': [delivery('2026-02-25', 1000, credit), delivery('2026-02-28', 1100, credit)],
  });
  await copyNight();
});

test('days are retracted', async () => {
  await load({
    deletions: [
      { experience: 'pla', table: 'delivery', advertiserId: 10, day: '2026-02-28' },
      { experience: 'pla', table: 'conversions', advertiserId: 10, day: '2026-02-26' },
      { experience: 'pla', table: 'activity', advertiserId: 11, day: '2026-02-28' },
    ],
  });
  await copyNight();
});

test('a campaign and an ad group are renamed, and one is no longer listed', async () => {
  await load({
    campaigns: LISTINGS.campaigns.map((row) => (row.id === 100 ? { ...row, name: 'Summer', status: 'ENDED' } : row)),
    ad_groups: [...LISTINGS.ad_groups].map((row) => (row.id === 1000 ? { ...row, name: 'Wider' } : row)),
  });
  // reports keep the name of the ad group that is no longer listed
  const { ad_groups = [] } = loaded.listings;
  loaded.listings = {
    ...loaded.listings,
    ad_groups: [...ad_groups, { id: 1101, name: 'New', campaignId: 110, status: 'ACTIVE' }],
  };
  await copyNight();
});

test('a placement is renamed', async () => {
  const placements = LISTINGS.placements.map((row) => (row.id === 2 ? { ...row, name: 'Home page' } : row));
  await load({ placements });
  await copyNight();
});

/** @returns the advertisers, of whom Eleven belongs to the account */
const advertisersWith = (accountId: number) =>
  LISTINGS.advertisers.map((row) => (row.id === 11 ? { ...row, accountId } : row));

test('an advertiser moves to another account, is restated there, and comes back', async () => {
  await load({ advertisers: advertisersWith(2) });
  await copyNight();
  await load({ 'facts/pla/delivery': [delivery('2026-02-28', 1100, { cost: 77 })] });
  await copyNight();
  await load({ advertisers: advertisersWith(1), 'facts/pla/delivery': [delivery('2026-03-01', 1000)] });
  await copyNight([COPY, PAGED]);
});

test('a run without changes changes nothing', async () => {
  const before = await readCopy();
  await copyNight();
  expect(await readCopy()).toEqual(before);
});

test('changes that are gone are copied with everything else', async () => {
  await load({ 'facts/pla/delivery': [delivery('2026-03-02', 1000), delivery('2026-03-02', 1100)] });
  const token = 'elsewher.1772345529417';
  for (const file of [COPY, PAGED])
    await inCopy(file, `UPDATE state SET next = '${token}'; DELETE FROM delivery WHERE hour = 9`);
  await copyNight([COPY, PAGED]);
});

/** Starts a server that answers as the stage does, with what `change` makes of a request's path and of the headers of its response. */
function startProxy(change: (path: string) => { readonly path?: string; readonly headers?: Record<string, string> }) {
  return startServer(async (request, response) => {
    const asked = request.url?.slice('/v2'.length) ?? ''; // the stage's URL ends in /v2
    const { path = asked, headers = {} } = change(asked);
    const found = await fetch(`${await stage.url()}${path}`, { headers: { 'ocp-apim-subscription-key': key } });
    const { 'content-encoding': coding, 'content-length': size, ...kept } = Object.fromEntries(found.headers);
    response.writeHead(found.status, { ...kept, ...headers }).end(new Uint8Array(await found.arrayBuffer()));
  });
}

test('a run that ends early changes nothing: the next one copies what it lacked', async () => {
  await load({
    ad_groups: loaded.listings.ad_groups?.map((row) => ({ ...row, name: `${row.name}!` })) ?? [],
    'facts/pla/delivery': [delivery('2026-03-03', 1000), delivery('2026-02-26', 1000, { cost: 9 })],
    'facts/pla/conversions': [sale('2026-03-03', 1000)],
  });
  const before = await readCopy();
  let reports = 0;
  await using proxy = await startProxy((path) =>
    path.startsWith('/report/') && ++reports === 3 ? { path: '/nowhere' } : {},
  );
  await expect(run(COPY, { url: `${proxy.endpoint}/v2` })).rejects.toThrow(/NOT_FOUND/);
  expect(reports).toBe(3);
  expect(await readCopy()).toEqual(before);
  await copyNight();
});

test('a run ends if data is loaded between two pages of a day', async () => {
  await load({ 'facts/pla/delivery': [1, 2, 3, 4].map((hour) => delivery('2026-03-04', 1000, { hour })) });
  const before = await readCopy(PAGED);
  await using proxy = await startProxy((path) => ({
    headers: path.includes('offset=3') ? { 'endcap-data-version': 'of the next load' } : {},
  }));
  const replace = [['50_000', '3']] as const;
  await expect(run(PAGED, { url: `${proxy.endpoint}/v2`, replace })).rejects.toThrow(/Run it again/);
  expect(await readCopy(PAGED)).toEqual(before);
  await copyNight([COPY, PAGED]);
});

test('a page that is too large is requested in smaller ones', async () => {
  await load({ 'facts/pla/delivery': [1, 2, 3, 4, 5].map((hour) => delivery('2026-03-04', 1000, { hour })) });
  const sizes: (string | undefined)[] = [];
  await using proxy = await startProxy((path) => ({
    path: path.includes('start=2026-03-04&end=2026-03-04')
      ? path.replace(/&size=(\d+)$/, (_, size) => `&size=${sizes.push(size) < 3 ? 0 : 2}`) // 0: 422
      : path,
  }));
  await run(COPY, { url: `${proxy.endpoint}/v2` });
  expect(sizes).toEqual(['50000', '12500', '3125', '3125', '3125']);
  expect(sorted((await readCopy()).delivery ?? [])).toEqual(sorted(expectedRows('delivery')));
});

test('the program is on the page word for word, in few and short lines', () => {
  const text = readFileSync(PROGRAM, 'utf8');
  const blocks = codeBlocksOf('functions/warehouse.md').filter(({ language }) => language === 'python');
  expect(blocks[0]?.text).toBe(text);
  const lines = text.trimEnd().split('\n');
  expect(lines.length).toBeLessThanOrEqual(75);
  expect(lines.filter((line) => line.length > 100)).toEqual([]);
});

test('dlt merges a first load, and then a restated and an emptied day, a new one and a credit', async () => {
  const [, block] = codeBlocksOf('functions/warehouse.md').filter(({ language }) => language === 'python');
  const code = block?.text ?? '';
  expect(code.trimEnd().split('\n').length).toBeLessThanOrEqual(25);
  const withDlt = installPythonTools('clients/requirements.txt', ['requests', 'duckdb', 'dlt']);
  const merge = async () => {
    const env = {
      ...{ ...process.env, ENDCAP_URL: await stage.url(), ENDCAP_KEY: key },
      ...{ DLT_DATA_DIR: join(folder, 'dlt'), RUNTIME__DLTHUB_TELEMETRY: 'false' },
    };
    await promisify(execFile)(withDlt.bin('python'), ['-c', code], { env, cwd: folder });
    const { delivery: rows = [] } = await readCopy('warehouse.duckdb');
    const sums = Map.groupBy(expectedRows('delivery'), (row) =>
      JSON.stringify(MERGED.map((name) => row[name] ?? null)),
    );
    const expected = [...sums].map(([own, of]) => {
      const sum = (name: string) =>
        of.every((row) => row[name] === undefined)
          ? null
          : of.reduce((all, row) => all + Math.round(Number(row[name] ?? 0) * 1e6), 0) / 1e6;
      return [...JSON.parse(own), ...['impressions', 'clicks', 'cost'].map(sum)];
    });
    const read = rows.map((row) => [...MERGED, 'impressions', 'clicks', 'cost'].map((name) => row[name] ?? null));
    const texts = (lists: readonly unknown[][]) => lists.map((list) => JSON.stringify(list)).sort();
    expect(texts(read)).toEqual(texts(expected.filter(([, , day]) => day > '2024-12-31')));
  };
  await merge();
  await load({
    deletions: [{ experience: 'pla', table: 'delivery', advertiserId: 10, day: '2026-03-02' }],
    'facts/pla/delivery': [
      delivery('2026-03-05', 1000, { cost: 2 }),
      delivery('2026-02-28', 1100, { hour: 1, cost: 0.5 }),
      delivery('2026-02-25', 1000, { impressions: 0, clicks: 0, cost: -1 }),
    ],
  });
  await merge();
});

/** The dimensions of the resource of dlt. */
const MERGED = ['experience_name', 'advertiser_id', 'daily_date', 'hour', 'ad_group_id', 'placement', 'keyword'];
