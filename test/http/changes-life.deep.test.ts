import { afterAll, expect, test, vi } from 'vitest';
import { openPlatform } from '../../shared/identity/platform.ts';
import { DAY_MS, formatDay } from '../../shared/lib/calendar.ts';
import { type Random, randomFrom } from '../oracle/random/random.ts';
import { stopClock } from '../support/test-clock.ts';
import { call, reportRequest } from './support/gateway-event.ts';
import { openTestService } from './support/test-service.ts';

const NIGHTS = 365;
const FIRST_NIGHT = Date.parse('2025-01-02T06:00:00Z');
const FIRST_DAY = FIRST_NIGHT / DAY_MS - 1.25;
const DAYS = Array.from({ length: NIGHTS + 1 }, (_, i) => formatDay(FIRST_DAY + i));
const CALLERS = { ann: 1, bob: 2 } as const;
type CallerName = keyof typeof CALLERS;
/** 10 and 11 are Ann's, 20 and 21 Bob's; 30 belongs to one of them, both or neither. */
const IDS = [10, 11, 20, 21, 30];
const MOVING = 30;
const FILES = ['pla/delivery', 'pla/conversions', 'toa/delivery'] as const;
type File = (typeof FILES)[number];
const MEASURES: Readonly<Record<File, readonly string[]>> = {
  'pla/delivery': ['impressions', 'clicks', 'cost'],
  'pla/conversions': ['halo_units', 'halo_exposed_revenue'],
  'toa/delivery': ['impressions', 'clicks', 'cost'],
};

/** Rows of a day by their keys, and what was last done to the day. */
interface Day {
  rows: ReadonlyMap<string, readonly number[]>;
  changed: { readonly at: number; readonly kind: string };
}

/** What a caller has copied: rows by advertiser, file and day, and names of campaigns. */
interface Copy {
  readonly token: string;
  readonly ids: readonly number[];
  readonly rows: Map<string, Day['rows']>;
  readonly names: object;
}

/** What was loaded, by advertiser, file and day; the owners and the names of campaigns. */
const days = new Map<string, Day>();
const owners = new Map<number, readonly number[]>(IDS.map((id) => [id, [id < 20 ? 1 : 2]]));
const names = new Map<number, string>(IDS.map((id) => [id, `Campaign ${id}`]));
const keyOf = (id: number, file: File, day: string) => `${id} ${file} ${day}`;

const service = await openTestService({ users: Object.keys(CALLERS), files: {} });
afterAll(() => service.close());

const network = () => ({
  accounts: [1, 2].map((id) => ({ id, name: `Account ${id}` })),
  users: Object.entries(CALLERS).map(([userId, id]) => {
    return { userId, name: userId, userType: 'AGENCY', accountIds: [id] };
  }),
  ...advertisers(),
  ...campaigns(),
  ad_groups: IDS.flatMap((id) =>
    [1, 2].map((i) => ({ id: id * 100 + i, campaignId: id * 10, name: `Ad group ${i}`, status: 'ACTIVE' })),
  ),
});
const advertisers = () => ({
  advertisers: IDS.map((id) => {
    const accountIds = owners.get(id) ?? [];
    return { id, name: `Advertiser ${id}`, accountId: accountIds[0], accountIds };
  }),
});
const campaigns = () => ({
  campaigns: IDS.map((id) => ({
    ...{ id: id * 10, advertiserId: id, name: names.get(id), status: 'ACTIVE', startDate: DAYS[0] },
  })),
});

function randomRows(random: Random, id: number, file: File): Day['rows'] {
  const rows = new Map<string, readonly number[]>();
  for (let i = random.int(3); i >= 0; i--) {
    const key = `${random.int(24)} ${id * 100 + 1 + random.int(2)} ${random.pick(['North', 'South'])}`;
    rows.set(key, file.endsWith('delivery') ? [random.int(90), 0, random.int(500) / 100] : [1, 1 + random.int(99)]);
  }
  return rows;
}

/** Loads days, and records what should be listed of them. */
async function loadDays(at: number, changes: ReadonlyMap<string, Day['rows'] | undefined>) {
  const files: Record<string, object[]> = {};
  const add = (file: string, row: object) => {
    files[file] = [...(files[file] ?? []), row];
  };
  for (const [key, rows] of changes) {
    const [id = '', file = '', day = ''] = key.split(' ');
    const before = days.get(key)?.rows ?? new Map();
    const isEqual = JSON.stringify([...before].sort()) === JSON.stringify([...(rows ?? [])].sort());
    const kind = rows === undefined ? 'emptied' : before.size === 0 ? 'loaded' : 'restated';
    if (!isEqual) days.set(key, { rows: rows ?? new Map(), changed: { at, kind } });
    const [experience, table] = file.split('/');
    if (rows === undefined) add('deletions', { experience, table, advertiserId: Number(id), day });
    for (const [keys, values] of rows ?? []) {
      const [hour, ad_group_id, division_banner] = keys.split(' ');
      const measures = MEASURES[file as File].map((name, i) => [name, values[i]]);
      add(`facts/${file}`, {
        ...{ daily_date: day, hour: Number(hour), ad_group_id: Number(ad_group_id), division_banner },
        ...Object.fromEntries(measures),
      });
    }
  }
  await service.load(files, () => at);
}

/** A warm instance, which reads the commit of each request, because nights pass within milliseconds. */
async function openChanges() {
  const { create } = await import('../../functions/list-changes.ts');
  const platform = openPlatform();
  vi.spyOn(platform.commits, 'recent').mockImplementation((table) => platform.commits.current(table));
  const handler = create(platform);
  return async (caller: CallerName, query: Readonly<Record<string, string>>) => {
    const { status, text, body } = await call(handler, {
      ...{ resource: '/metadata/changes', query: Object.entries(query) },
      headers: [['Ocp-Apim-Subscription-Key', `key-${caller}`]],
    });
    expect(status).toBe(200);
    return { text, body: Object(body), units: Object(service.logged.at(-1)).readUnits };
  };
}

test('a copy that reads only what has changed equals the loaded files after each of 365 nights, and nothing shows others’ loads', async () => {
  const random = randomFrom(58);
  await service.load(network(), () => FIRST_NIGHT - DAY_MS);
  const changes = await openChanges();
  const reports = await service.start();
  const readReport = async (caller: CallerName, experience: string, query: object) => {
    const body = {
      ...{ startDate: DAYS[0], endDate: DAYS.at(-1), advertiserIds: [], filters: [], sort: [] },
      ...query,
    };
    const request = JSON.stringify({ pagination: { offset: 0, size: 10_000 }, ...body });
    const sent = { ...reportRequest(request, { experience }), key: `key-${caller}` };
    const { status, body: report } = await reports.send('submit-report', sent);
    expect(status).toBe(200);
    return Object(report);
  };
  const visible = (caller: CallerName) => IDS.filter((id) => owners.get(id)?.includes(CALLERS[caller]));

  const copies = new Map<CallerName, Copy>();
  async function copyDays(caller: CallerName, file: File, wanted: ReadonlySet<string>, query: object) {
    const { rows } = copies.get(caller) ?? { rows: new Map<string, Day['rows']>() };
    for (const key of wanted) rows.delete(key);
    const dimensions = ['advertiser_id', 'daily_date', 'hour', 'ad_group_id', 'division_banner'];
    const [experience = ''] = file.split('/');
    const { data } = await readReport(caller, experience, { dimensions, metrics: MEASURES[file], ...query });
    for (const row of data) {
      const key = keyOf(row.advertiser_id, file, row.daily_date);
      if (!wanted.has(key)) continue;
      const own = new Map(rows.get(key)).set(
        `${row.hour} ${row.ad_group_id} ${row.division_banner}`,
        MEASURES[file].map((name) => row[name]),
      );
      rows.set(key, own);
    }
  }

  async function update(caller: CallerName) {
    const copy: Copy = copies.get(caller) ?? {
      token: (await changes(caller, {})).body.meta.next,
      ids: [],
      rows: new Map(),
      names: {},
    };
    copies.set(caller, copy);
    const listed: { advertiserId: number; file: File; from: string; to: string; changedAt: string; kind: string }[] =
      [];
    const listings = new Set<string>();
    const since = Number(copy.token.split('.')[1]);
    let meta = { next: copy.token, advertiserIds: [] as number[], page: { hasMore: true } };
    while (meta.page.hasMore) {
      const { body } = await changes(caller, { since: meta.next, size: String(1 + random.int(40)) });
      listed.push(
        ...body.data.map((change: object) => ({
          ...change,
          file: `${Object(change).experience}/${Object(change).table}`,
        })),
      );
      for (const { name } of body.listings) listings.add(name);
      meta = body.meta;
    }
    expect(meta.advertiserIds).toEqual(visible(caller));
    const found = listed.flatMap(({ advertiserId, file, from, to, changedAt, kind }) =>
      DAYS.filter((day) => from <= day && day <= to).map(
        (day) => `${keyOf(advertiserId, file, day)} ${changedAt} ${kind}`,
      ),
    );
    const expected = [...days].filter(([key, { changed }]) => {
      return changed.at > since && meta.advertiserIds.includes(Number(key.split(' ')[0]));
    });
    expect(found.sort()).toEqual(
      expected.map(([key, { changed }]) => `${key} ${new Date(changed.at).toISOString()} ${changed.kind}`).sort(),
    );
    for (const key of copy.rows.keys())
      if (!meta.advertiserIds.includes(Number(key.split(' ')[0]))) copy.rows.delete(key);
    const newcomers = meta.advertiserIds.filter((id) => !copy.ids.includes(id));
    for (const file of FILES) {
      const whole = new Set(newcomers.flatMap((id) => DAYS.map((day) => keyOf(id, file, day))));
      if (newcomers.length > 0) await copyDays(caller, file, whole, { advertiserIds: newcomers });
      const changed = listed.filter((change) => change.file === file && !newcomers.includes(change.advertiserId));
      const wanted = new Set(
        changed.flatMap(({ advertiserId, from, to }) =>
          DAYS.filter((day) => from <= day && day <= to).map((day) => keyOf(advertiserId, file, day)),
        ),
      );
      if (wanted.size === 0) continue;
      const [startDate] = changed.map(({ from }) => from).sort();
      const endDate = changed
        .map(({ to }) => to)
        .sort()
        .at(-1);
      await copyDays(caller, file, wanted, { startDate, endDate });
    }
    if (listings.has('campaigns') || newcomers.length > 0) {
      const { data } = await readReport(caller, 'pla', { metrics: [], dimensions: ['campaign_id', 'campaign_name'] });
      const read = data.map((row: object) => [Object(row).campaign_id, Object(row).campaign_name]);
      Object.assign(copy, { names: Object.fromEntries(read) });
    }
    Object.assign(copy, { token: meta.next, ids: meta.advertiserIds });
    const loaded = [...days].filter(
      ([key, { rows }]) => rows.size > 0 && meta.advertiserIds.includes(Number(key.split(' ')[0])),
    );
    expect(new Map([...copy.rows].sort())).toEqual(
      new Map(loaded.map(([key, { rows }]) => [key, rows] as const).sort()),
    );
    for (const [id, name] of Object.entries(copy.names))
      if (meta.advertiserIds.includes(Number(id) / 10)) expect(name).toBe(names.get(Number(id) / 10));
  }

  let pairs = 0;
  /** Whoever does not see the advertisers gets the same bytes for the same units before and after the load. */
  async function unseen(ids: readonly number[], load: () => Promise<void>) {
    const others = (['ann', 'bob'] as const).filter((caller) => !ids.some((id) => visible(caller).includes(id)));
    const ask = (caller: CallerName) =>
      changes(caller, { since: copies.get(caller)?.token ?? new Date(FIRST_NIGHT).toISOString() });
    const clock = stopClock(); // the key is read again every few seconds
    for (const caller of others) await ask(caller);
    const before = await Promise.all(others.map(ask));
    await load();
    for (const [i, caller] of others.entries()) {
      const { text, units } = await ask(caller);
      expect([text, units]).toEqual([before[i]?.text, before[i]?.units]);
      pairs++;
    }
    clock.release();
  }

  let seen = { dataVersion: '', dataUpdatedAt: '' };
  for (let night = 0; night < NIGHTS; night++) {
    let at = FIRST_NIGHT + night * DAY_MS;
    const moves = random.chance(0.08);
    if (moves) {
      owners.set(MOVING, random.pick([[1], [2], [1, 2]]));
      await service.load(advertisers(), () => ++at);
    }
    for (const group of [[10, 11], [20, 21], [MOVING]]) {
      const changed = new Map<string, Day['rows'] | undefined>();
      for (const id of group) {
        for (const file of FILES) {
          if (random.chance(0.8)) changed.set(keyOf(id, file, DAYS[night] ?? ''), randomRows(random, id, file));
          const past = keyOf(id, file, DAYS[Math.max(0, night - random.int(40, 2))] ?? '');
          const stored = days.get(past)?.rows;
          if (stored === undefined || stored.size === 0 || changed.has(past)) continue;
          const what = random.next();
          if (what < 0.2)
            changed.set(past, randomRows(random, id, file)); // restated
          else if (what < 0.3)
            changed.set(past, stored); // loaded again as it is
          else if (what < 0.35)
            changed.set(past, undefined); // retracted
          else if (what < 0.45 && file.endsWith('delivery'))
            changed.set(past, new Map([...stored, [`23 ${id * 100 + 1} credit`, [0, 0, -1.5]]]));
        }
      }
      const time = ++at;
      if (changed.size > 0) await unseen(group, () => loadDays(time, changed));
    }
    if (random.chance(0.5)) {
      const renamed = random.pick(IDS);
      names.set(renamed, `Campaign ${renamed} of night ${night}`);
      await unseen([renamed], () => service.load(campaigns(), () => ++at));
    }
    for (const caller of ['ann', 'bob'] as const) if (random.chance(0.7)) await update(caller);
    const query = { startDate: DAYS[Math.max(0, night - 7)], metrics: ['impressions', 'halo_units'], dimensions: [] };
    const { dataVersion, dataUpdatedAt } = (await readReport('ann', 'pla', query)).meta;
    if (dataUpdatedAt !== seen.dataUpdatedAt) expect(dataVersion).not.toBe(seen.dataVersion);
    if (dataVersion !== seen.dataVersion && !moves) expect(Date.parse(dataUpdatedAt)).toBeGreaterThan(at - DAY_MS / 2);
    seen = { dataVersion, dataUpdatedAt };
  }
  for (const caller of ['ann', 'bob'] as const) await update(caller);
  expect(pairs).toBeGreaterThan(1_000);
}, 3_600_000);
