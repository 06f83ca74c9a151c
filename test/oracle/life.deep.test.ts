import { describe, expect, test } from 'vitest';
import { EXPERIENCES, type Experience, keyIn } from '../../shared/catalog/tables.ts';
import { PLATFORM_ID } from '../../shared/layout/partitions.ts';
import type { ReplaceMode } from '../../shared/load/schema/replace-modes.ts';
import type { ReportQuery } from '../../shared/report/query/query.ts';
import { runReport } from '../../shared/report/run-report.ts';
import { beginCommit, readCommit } from '../../shared/store/commit/commits.ts';
import { openSegmentSource, SourceCaches } from '../../shared/store/segment-source.ts';
import type { Table } from '../../shared/store/table/table.ts';
import { loadRows } from '../load/support/load-rows.ts';
import type { FolderRows } from '../load/support/network-rows.ts';
import type { LoadRow } from '../real/write-folder.ts';
import { writeSample } from '../store/sample-load.ts';
import { type DatasetParts, dataset, type FactRow } from '../support/facts.ts';
import { SETTINGS } from '../support/report-settings.ts';
import { useEngine } from '../support/use-engine.ts';
import { differences } from './compare-results.ts';
import { type Random, randomFrom } from './random/random.ts';
import { openOracle } from './sql/duckdb.ts';

/** Lives of a table, which start with seeds 1, 2 and so on. */
const LIVES = 2;
const STEPS = 60;
/** After so many steps, a load is abandoned once it has written. */
const STEPS_PER_ABANDONED = 7;
/** After so many steps, reports are compared with DuckDB; sums are checked after each. */
const STEPS_PER_ORACLE = 3;
const ACCOUNT = { id: 1, name: 'Acme' };
const ADVERTISERS = [10, 11, 12];
/** Advertisers of one ad group that always stay: a report reads a shard of 16 or more. */
const CROWD = Array.from({ length: 17 }, (_, at) => 20 + at);
/** In two months, so that rollups change, too. */
const DAYS = ['2026-02-26', '2026-02-27', '2026-02-28', '2026-03-01', '2026-03-02'];
const MICROS = 1_000_000;
const HOURS = [0, 7, 11, 12, 18, 23];
const TABLES = ['delivery', 'conversions'] as const;
type LifeTable = (typeof TABLES)[number] | 'market';
type LifeRow = FactRow & { hour: number | null };
const LOSABLE = {
  delivery: ['clicks', 'cost'],
  conversions: ['halo_revenue', 'halo_units', 'halo_exposed_transactions'],
} as const;

interface AdGroup {
  readonly advertiserId: number;
  readonly campaignId: number;
  name: string;
  campaign: string;
  state: 'listed' | 'archived' | 'deleted';
}

/** What the table must hold, kept without the loader's code. */
class Life {
  readonly random: Random;
  /** Of lost columns and hours only. */
  readonly #losses: Random;
  readonly advertisers = new Map<number, string>();
  readonly adGroups = new Map<number, AdGroup>();
  facts: { readonly table: LifeTable; readonly row: LifeRow }[] = [];
  /** By campaign, the budgets by the day from which they are in force. */
  readonly budgets = new Map<number, Map<string, number>>();
  #names = 0;
  #kinds: (typeof STEP_KINDS)[number][] = [];

  constructor(seed: number) {
    this.random = randomFrom(seed);
    this.#losses = randomFrom(seed + 1_000);
  }

  /** @returns the rows of a file, which sometimes lacks a column */
  loseColumn(rows: readonly LifeRow[], table: (typeof TABLES)[number]) {
    if (!this.#losses.chance(0.3)) return rows;
    const lost = this.#losses.pick(LOSABLE[table]);
    return rows.map((row) => ({ ...row, [lost]: undefined, unmeasured: [lost] }));
  }

  /** @returns the rows of a day, which sometimes has no hours */
  loseHours(rows: readonly LifeRow[]) {
    return this.#losses.chance(0.2) ? rows.map((row) => ({ ...row, hour: null })) : rows;
  }

  /** @returns the rows of a day of delivery, which sometimes has credits only */
  loseImpressions(rows: readonly LifeRow[], table: (typeof TABLES)[number]) {
    if (table !== 'delivery' || !this.#losses.chance(0.3)) return rows;
    return rows.map((row) => ({ ...row, impressions: 0, users: [] }));
  }

  /** @returns the budget of a listed campaign that is in force on the day */
  budgetOf(campaignId: number, date: string): number {
    const steps = [...(this.budgets.get(campaignId) ?? [])].filter(([from]) => from <= date).sort();
    return steps.at(-1)?.[1] ?? ownBudget(campaignId);
  }

  /** @returns the share of voice of a day: of its slices in which anybody has impressions, unless they have hours on one side only */
  shareOf(date: string): number | null {
    const shown = this.facts.filter(
      ({ table, row }) => table === 'delivery' && row.experience === 'pla' && row.impressions !== 0,
    );
    const slices = new Set(shown.map(({ row }) => row.keyword));
    const ofDay = shown.filter(({ row }) => row.date === date).map(({ row }) => row);
    const whole = new Set(ofDay.filter(({ hour }) => hour === null).map(({ keyword }) => keyword));
    const market = this.facts.filter(
      ({ table, row: { keyword, ...row } }) =>
        table === 'market' && row.date === date && slices.has(keyword) && !whole.has(keyword),
    );
    const cells = new Set(market.map(({ row }) => `${row.hour} ${row.keyword}`));
    const own = ofDay.filter(({ hour, keyword }) => cells.has(`${hour} ${keyword}`));
    const all = market.reduce((sum, { row }) => sum + (row.market_impressions ?? 0), 0);
    return all === 0 ? null : own.reduce((sum, { impressions = 0 }) => sum + impressions, 0) / all;
  }

  /** @returns kinds of steps in random order, so that all of them occur */
  nextKind(): (typeof STEP_KINDS)[number] {
    if (this.#kinds.length === 0) this.#kinds = this.random.sample(STEP_KINDS, STEP_KINDS.length);
    return this.#kinds.pop() ?? addCampaign;
  }

  newName(): string {
    return `Name ${++this.#names}`;
  }

  listed(): [number, AdGroup][] {
    return [...this.adGroups].filter(([, { state }]) => state === 'listed');
  }

  /** @returns rows of the listings, each campaign once */
  listings(adGroups: readonly (readonly [number, AdGroup])[]): { campaigns: LoadRow[]; ad_groups: LoadRow[] } {
    const campaigns = new Map(adGroups.map(([, group]) => [group.campaignId, group]));
    return {
      campaigns: [...campaigns].map(([id, { advertiserId, campaign: name }]) => ({
        ...{ id, advertiserId, name, status: 'ACTIVE', startDate: '2026-01-01' },
        ...{ budget: ownBudget(id), budgetType: 'DAILY' },
      })),
      ad_groups: adGroups.map(([id, { campaignId, name }]) => ({ id, campaignId, name, status: 'ACTIVE' })),
    };
  }

  forget(isGone: (fact: { table: string; row: LifeRow }) => boolean): void {
    this.facts = this.facts.filter((fact) => !isGone(fact));
  }

  /** A day has the columns that any of its hours has. */
  joinColumns(day: { table: string; experience: Experience; date: string; advertiserId: number }): void {
    const isOfDay = ({ table, row }: (typeof this.facts)[number]) =>
      table === day.table &&
      row.experience === day.experience &&
      row.date === day.date &&
      row.advertiserId === day.advertiserId;
    const ofDay = this.facts.filter(isOfDay).map(({ row }) => new Set(row.unmeasured));
    const unmeasured = [...ofDay.reduce((all, own) => all.intersection(own), ofDay[0] ?? new Set())];
    this.facts = this.facts.map((fact) => (isOfDay(fact) ? { ...fact, row: { ...fact.row, unmeasured } } : fact));
  }

  /** @returns new rows of one day, of some advertisers and hours */
  drawFacts(experience: Experience, table: string, date: string, ids: readonly number[], hours: readonly number[]) {
    const { random } = this;
    return ids.flatMap((id) =>
      hours.flatMap((hour) =>
        Array.from({ length: random.int(3) }, () => {
          const keys = {
            hour,
            ad_group_id: id,
            keyword: experience === 'pla' ? random.pick(['oat', 'rye', null]) : null,
          };
          const users = Array.from({ length: random.int(3) }, () => `user-${random.int(40)}`);
          const measures = table === 'delivery' ? deliveryOf(random) : conversionOf(random);
          return {
            ...{ experience, advertiserId: this.adGroups.get(id)?.advertiserId ?? 0, date },
            ...{ ...keys, ...measures, users },
          };
        }),
      ),
    );
  }

  /** @returns what is stored of a campaign or an ad group besides its loaded columns */
  #storedOf({ id, campaignId }: LoadRow) {
    const isOf = ([own, adGroup]: [number, AdGroup]) => (campaignId === undefined ? adGroup.campaignId : own) === id;
    const [, { advertiserId = 0, state = 'deleted' } = {}] = [...this.adGroups].find(isOf) ?? [];
    const deleted = { status: null, startDate: null, budget: null, budgetType: null };
    if (state === 'deleted') return { advertiserId, ...deleted, archived: 1 };
    const steps = campaignId === undefined ? [...(this.budgets.get(Number(id)) ?? [])].sort() : [];
    const budgets = steps.map(([day, budget]) => `${day} ${budget * MICROS} DAILY`).join(',');
    return { advertiserId, budgets: budgets || null, archived: state === 'archived' ? 1 : null };
  }

  dataset() {
    const rowsOf = (table: LifeTable) => this.facts.filter((fact) => fact.table === table).map(({ row }) => row);
    const parts: DatasetParts = {
      accounts: [ACCOUNT],
      advertisers: [...this.advertisers].map(([id, name]) => ({ id, name, accountId: 1, accountIds: [1] })),
      placements: [],
      ...Object.fromEntries(
        Object.entries(this.listings([...this.adGroups])).map(([name, rows]) => [
          name,
          rows.map((row) => ({ ...row, ...this.#storedOf(row) })),
        ]),
      ),
      ...{ delivery: rowsOf('delivery'), conversions: rowsOf('conversions'), market: rowsOf('market') },
    };
    return dataset(parts);
  }
}

const ownBudget = (campaignId: number): number => 1 + (campaignId % 7);

/** Some rows are credits, and some conversions returns. */
function deliveryOf(random: Random) {
  const cost = (random.int(5_000_000) - 1_000_000) / 1_000_000;
  return { impressions: 1 + random.int(500), clicks: random.int(9), cost };
}

function conversionOf(random: Random) {
  const [units, revenue] = [random.int(5) - 1, (random.int(90_000_000) - 20_000_000) / 1_000_000];
  const exposed = { halo_exposed_transactions: units, halo_exposed_units: units, halo_exposed_revenue: revenue };
  return { halo_units: units, halo_revenue: revenue, ...exposed };
}

function fileOf(rows: readonly FactRow[]): LoadRow[] {
  return rows.map(({ experience: _, advertiserId: __, unmeasured: ___, date, ...row }) =>
    Object.fromEntries([['daily_date', date], ...Object.entries(row).map(([name, cell]) => [name, cell ?? undefined])]),
  );
}

interface Step {
  readonly what: string;
  readonly rows: FolderRows;
  readonly replace?: ReplaceMode;
}

/** Steps that load facts of one experience, table and day, in each mode. */
function loadFacts(life: Life, replace: ReplaceMode): Step | undefined {
  const { random } = life;
  const days = replace.includes('..') ? DAYS.slice(1, 4) : DAYS;
  const table = random.pick(TABLES);
  const known = life.facts.filter((fact) => fact.table === table && days.includes(fact.row.date));
  const met = random.chance(0.8) && known.length > 0 ? random.pick(known) : undefined;
  const experience = met?.row.experience ?? random.pick(EXPERIENCES, 2);
  const date = met?.row.date ?? random.pick(days);
  const isOfMet = ({ advertiserId }: AdGroup) => advertiserId === met?.row.advertiserId;
  const all = life.listed();
  const own = replace.endsWith('s') && replace !== 'days' ? all.filter(([, adGroup]) => isOfMet(adGroup)) : [];
  const ids = [...new Set([...random.sample(own, 1), ...random.sample(all, 1 + random.int(4))].map(([id]) => id))];
  const hours = replace === 'hours' ? random.pick([HOURS.slice(0, 3), HOURS.slice(3), [random.pick(HOURS)]]) : HOURS;
  const drawn = life.drawFacts(experience, table, date, ids, hours);
  const credited = life.loseImpressions(drawn, table);
  const whole = replace === 'hours' ? credited : life.loseHours(credited);
  const rows = withoutKeys(life.loseColumn(whole, table), table);
  if (rows.length === 0) return undefined;
  const owners = new Set(rows.map(({ advertiserId }) => advertiserId));
  const isWhole = ({ table: of, row }: (typeof life.facts)[number]) =>
    of === table &&
    row.experience === experience &&
    row.date === date &&
    owners.has(row.advertiserId) &&
    row.hour === null;
  if (replace === 'hours' && life.facts.some(isWhole)) return undefined; // it would be rejected
  const loaded = new Set(rows.map(({ advertiserId, hour }) => `${advertiserId} ${hour}`));
  life.forget(({ table: of, row }) => {
    if (of !== table || row.experience !== experience) return false;
    const [first = '', last] = replace.split('..');
    if (last !== undefined) return row.date >= first && row.date <= last;
    if (row.date !== date) return false;
    if (replace === 'days') return true;
    return replace === 'hours' ? loaded.has(`${row.advertiserId} ${row.hour}`) : owners.has(row.advertiserId);
  });
  life.facts.push(...rows.map((row) => ({ table, row })));
  for (const owner of owners) life.joinColumns({ table, experience, date, advertiserId: owner });
  return { what: `load by ${replace}`, rows: { [`facts/${experience}/${table}`]: fileOf(rows) }, replace };
}

/** Loads a day of market, or some hours of it. */
function loadMarket(life: Life): Step {
  const { random } = life;
  const [date, replace] = [
    random.pick(DAYS.slice(2, 3)),
    random.pick(['advertiser-days', 'days', 'hours', 'hours'] as const),
  ];
  const of = { experience: 'pla', advertiserId: PLATFORM_ID, date } as const;
  const rows = random.sample(HOURS, 1 + random.int(HOURS.length)).flatMap((hour) =>
    ['oat', 'rye', null].map((keyword): LifeRow => {
      return { ...of, hour, keyword, market_impressions: 1_000 + random.int(9_000), market_advertisers: 30 };
    }),
  );
  const hours = new Set(rows.map(({ hour }) => hour));
  life.forget(
    ({ table, row }) => table === 'market' && row.date === date && (replace !== 'hours' || hours.has(row.hour)),
  );
  life.facts.push(...rows.map((row) => ({ table: 'market' as const, row })));
  const file = fileOf(rows).map(({ market_impressions: impressions, market_advertisers: advertisers, ...row }) => {
    return { ...row, impressions, advertisers };
  });
  return { what: 'load market', rows: { 'facts/pla/market': file }, replace };
}

/** @returns the rows, which lack the keys that are empty in all of them */
function withoutKeys(rows: readonly LifeRow[], table: (typeof TABLES)[number]) {
  const keys = (['hour', 'keyword'] as const).filter(
    (key) => rows.every((row) => row[key] === null) && (key === 'hour' || rows[0]?.experience === 'pla'),
  );
  const lacked = keys.map((key) => keyIn(table, key));
  return rows.map((row) => ({ ...row, unmeasured: [...(row.unmeasured ?? []), ...lacked] }));
}

const STEP_KINDS: readonly ((life: Life) => Step | undefined)[] = [
  (life) => loadFacts(life, 'hours'),
  (life) => loadFacts(life, 'hours'),
  (life) => loadFacts(life, 'advertiser-days'),
  (life) => loadFacts(life, 'advertiser-days'),
  (life) => loadFacts(life, 'days'),
  (life) => loadFacts(life, 'days'),
  (life) => loadFacts(life, '2026-02-27..2026-03-01'),
  (life) => loadFacts(life, '2026-02-27..2026-03-01'),
  loadMarket,
  loadMarket,
  loadMarket,
  changeBudget,
  changeBudget,
  retract,
  retract,
  retract,
  renameOrReturn,
  renameOrReturn,
  function archive(life) {
    const gone = new Set(life.random.sample(life.listed(), 2).map(([, { campaignId }]) => campaignId));
    for (const [, adGroup] of life.listed()) if (gone.has(adGroup.campaignId)) adGroup.state = 'archived';
    return { what: 'archive', rows: { ...life.listings(life.listed()) } };
  },
  function deleteCampaign(life) {
    const groups = [...life.adGroups].filter(([, { state }]) => state !== 'deleted');
    if (groups.length === 0) return undefined;
    const [, { campaignId }] = life.random.pick(groups);
    const gone = groups.filter(([, adGroup]) => adGroup.campaignId === campaignId);
    for (const [id, adGroup] of gone)
      Object.assign(adGroup, { state: 'deleted', name: String(id), campaign: String(campaignId) });
    return {
      what: 'delete',
      rows: {
        'campaigns.patch': [{ id: campaignId, deleted: true }],
        'ad_groups.patch': gone.map(([id]) => ({ id, deleted: true })),
      },
    };
  },
  function removeAdvertiser(life) {
    if (life.advertisers.size === CROWD.length || life.random.chance(0.5)) return undefined;
    const advertiserId = life.random.pick([...life.advertisers.keys()].filter((id) => ADVERTISERS.includes(id)));
    life.advertisers.delete(advertiserId);
    for (const [id, adGroup] of life.adGroups) {
      if (adGroup.advertiserId !== advertiserId) continue;
      life.adGroups.delete(id);
      life.budgets.delete(adGroup.campaignId);
    }
    life.forget(({ row }) => row.advertiserId === advertiserId);
    return { what: 'cascade', rows: { 'advertisers.patch': [{ id: advertiserId, deleted: true, cascade: true }] } };
  },
  addCampaign,
];

function retract(life: Life): Step | undefined {
  const { random } = life;
  const of = random.pick(['delivery', 'conversions', 'conversions', 'market'] as const);
  const known = life.facts.filter(
    ({ table, row }) => table === of && (table === 'market' || life.advertisers.has(row.advertiserId)),
  );
  if (known.length === 0) return undefined;
  const { table, row } = random.pick(known);
  const { experience, date: day } = row;
  const advertiserId = table === 'market' || random.chance(0.2) ? undefined : row.advertiserId;
  life.forget(
    (fact) =>
      fact.table === table &&
      fact.row.experience === experience &&
      fact.row.date === day &&
      fact.row.advertiserId === (advertiserId ?? fact.row.advertiserId),
  );
  return { what: 'retract', rows: { deletions: [{ experience, table, advertiserId, day }] } };
}

/** A patch of what is listed has names only. */
function renameOrReturn(life: Life): Step | undefined {
  const groups = [...life.adGroups].filter(([, { state }]) => state !== 'deleted');
  if (groups.length === 0) return undefined;
  const [, { campaignId }] = life.random.pick(groups);
  const name = life.newName();
  const patched = groups.filter(([, adGroup]) => adGroup.campaignId === campaignId);
  const isListed = patched.every(([, { state }]) => state === 'listed');
  for (const [, adGroup] of patched) Object.assign(adGroup, { state: 'listed', name: life.newName(), campaign: name });
  const { campaigns, ad_groups } = life.listings(patched);
  const onlyNames = (rows: readonly LoadRow[]) => (isListed ? rows.map(({ id, name }) => ({ id, name })) : rows);
  return { what: 'rename', rows: { 'campaigns.patch': onlyNames(campaigns), 'ad_groups.patch': onlyNames(ad_groups) } };
}

/** Of few campaigns, so that their budgets have a history. */
function changeBudget(life: Life): Step | undefined {
  const { random } = life;
  const [, { campaignId } = {}] = random.sample(life.listed().slice(0, 2), 1)[0] ?? [];
  if (campaignId === undefined) return undefined;
  const [validFrom, budget] = [random.pick(DAYS), random.int(90)];
  life.budgets.set(campaignId, (life.budgets.get(campaignId) ?? new Map()).set(validFrom, budget));
  return { what: 'budget', rows: { 'budgets.patch': [{ validFrom, campaignId, budget, budgetType: 'DAILY' }] } };
}

/** Adds a campaign with two ad groups, and its advertiser if that is not there. */
function addCampaign(life: Life): Step {
  const advertiserId = life.random.pick(ADVERTISERS);
  const campaignId = 100 + life.random.int(900) * 3 + ADVERTISERS.indexOf(advertiserId);
  const isNew = ![...life.adGroups.values()].some((adGroup) => adGroup.campaignId === campaignId);
  const campaign = life.newName();
  const rows: Record<string, LoadRow[]> = {};
  if (!life.advertisers.has(advertiserId)) {
    life.advertisers.set(advertiserId, life.newName());
    const name = life.advertisers.get(advertiserId);
    rows['advertisers.patch'] = [{ id: advertiserId, name, accountId: 1, accountIds: [1] }];
  }
  const added = [1, 2].map((n): [number, AdGroup] => [
    campaignId * 10 + n,
    { advertiserId, campaignId, name: life.newName(), campaign, state: 'listed' },
  ]);
  if (isNew) {
    for (const [id, adGroup] of added) life.adGroups.set(id, adGroup);
    const { campaigns, ad_groups } = life.listings(added);
    Object.assign(rows, { 'campaigns.patch': campaigns, 'ad_groups.patch': ad_groups });
  }
  return { what: 'add', rows };
}

/** @returns the rows that begin a life: the advertisers of CROWD, each with an ad group and a row */
function startLife(life: Life): FolderRows {
  for (const advertiserId of CROWD) {
    const [campaignId, id] = [advertiserId * 1_000, advertiserId * 10_000];
    life.advertisers.set(advertiserId, life.newName());
    const names = { name: life.newName(), campaign: life.newName() };
    life.adGroups.set(id, { advertiserId, campaignId, ...names, state: 'listed' });
    const date = life.random.pick(DAYS);
    const row = { date, hour: 0, ad_group_id: id, keyword: 'oat', users: [], ...deliveryOf(life.random) };
    life.facts.push({ table: 'delivery', row: { experience: 'pla', advertiserId, ...row } });
  }
  const advertisers = [...life.advertisers].map(([id, name]) => ({ id, name, accountId: 1, accountIds: [1] }));
  const facts = fileOf(life.facts.map(({ row }) => row));
  return { accounts: [ACCOUNT], advertisers, ...life.listings(life.listed()), 'facts/pla/delivery': facts };
}

const METRICS = [
  'impressions',
  'clicks',
  'cost',
  'click_through_rate',
  'unique_user_impressions',
  'unique_user_conversions',
  'halo_units',
  'halo_revenue',
  'halo_roas',
] as const;
const PAGE = { sort: [], pagination: { offset: 0, size: 10_000 } };
const PERIOD = { startDate: '2026-02-20', endDate: '2026-03-10', filters: [], ...PAGE } as const;
const NAMES = ['advertiser_name', 'campaign_id', 'campaign_name', 'ad_group_id', 'ad_group_name'] as const;

type ReportInput = Pick<Parameters<typeof runReport>[0], 'scope' | 'source'>;

/** What is read from rollups: of ad groups by month, and of shards. */
const SUMS = [
  { table: 'delivery', metrics: ['impressions', 'clicks', 'cost'], dimensions: ['month_date', 'ad_group_id'] },
  { table: 'delivery', metrics: ['impressions'], dimensions: ['daily_date', 'advertiser_id'] },
  { table: 'conversions', metrics: ['halo_units', 'halo_revenue'], dimensions: ['month_date', 'ad_group_id'] },
  { table: 'conversions', metrics: ['halo_units', 'halo_revenue'], dimensions: ['daily_date', 'advertiser_id'] },
] as const;

function scopeOf({ advertisers }: Life) {
  const advertiserIds = [...advertisers.keys()].sort((a, b) => a - b);
  return { accountIds: new Set([1]), advertiserIds, ownAdvertiserIds: advertiserIds };
}

/** Compares sums by experience, in micros, with those of the life's rows. Where one is unknown is left to `compare`. */
async function compareSums(life: Life, { scope, source }: ReportInput, place: string): Promise<void> {
  for (const { table: of, metrics, dimensions } of SUMS) {
    const query = { experience: 'all', ...PERIOD, metrics, dimensions: ['experience_name', ...dimensions] } as const;
    const { data } = await runReport({ query, scope, settings: SETTINGS, source });
    const sums = new Map<string, number>();
    for (const { table: own, row } of life.facts) {
      if (own !== of) continue;
      const [date, month] = [row.date, `${row.date.slice(0, 7)}-01`];
      const group = dimensions[0] === 'month_date' ? `${month} ${row.ad_group_id}` : `${date} ${row.advertiserId}`;
      for (const metric of metrics) {
        const key = `${row.experience} ${group} ${metric}`;
        sums.set(key, (sums.get(key) ?? 0) + Math.round(Number(row[metric] ?? 0) * MICROS));
      }
    }
    for (const row of data) {
      for (const metric of metrics) {
        const key = [...query.dimensions.map((name) => row[name]), metric].join(' ');
        const isEqual = row[metric] === null || Math.round(Number(row[metric]) * MICROS) === (sums.get(key) ?? 0);
        if (isEqual) sums.delete(key);
        else sums.set(key, Number.NaN);
      }
    }
    const wrong = [...sums].filter(([, sum]) => sum !== 0);
    expect(wrong.slice(0, 8), `${place} sums ${JSON.stringify(query)}`).toEqual([]);
  }
}

/** Compares what budgets plan for campaigns that are listed, and the share of voice. */
async function comparePlansAndShares(life: Life, { scope, source }: ReportInput, place: string): Promise<void> {
  const input = { scope, settings: SETTINGS, source };
  const of = { experience: 'pla', ...PERIOD } as const;
  const shares = { ...of, metrics: ['share_of_voice'], dimensions: ['daily_date'] } as const;
  for (const row of (await runReport({ ...input, query: shares })).data) {
    const share = life.shareOf(String(row.daily_date));
    expect(row, place).toEqual({ ...row, share_of_voice: share });
  }
  const plans = { ...of, metrics: ['planned_cost'], dimensions: ['daily_date', 'campaign_id'] } as const;
  const listed = new Set(life.listed().map(([, { campaignId }]) => campaignId));
  for (const row of (await runReport({ ...input, query: plans })).data) {
    const id = Number(row.campaign_id);
    if (!listed.has(id)) continue;
    expect(row, place).toEqual({ ...row, planned_cost: life.budgetOf(id, String(row.daily_date)) });
  }
}

/** Everything that the table says, and what is read from rollups and heads. */
function queriesOf(experience: Experience): ReportQuery[] {
  const by = (dimensions: ReportQuery['dimensions'], metrics: ReportQuery['metrics'] = METRICS): ReportQuery => ({
    ...{ experience, ...PERIOD, metrics, dimensions },
  });
  return [
    by(['daily_date', 'hour', ...(experience === 'pla' ? (['keyword'] as const) : []), ...NAMES]),
    by(['month_date', ...NAMES]),
    by(['advertiser_id', 'daily_date'], ['impressions', 'cost', 'halo_revenue', 'halo_roas']),
    by([]),
  ];
}

/** @param caches of an instance that has read the table after every third step so far; each report is also one of a new instance */
async function compare(life: Life, table: Table, what: string, caches: SourceCaches): Promise<void> {
  const oracle = await openOracle(life.dataset());
  const state = await readCommit(table);
  const scope = scopeOf(life);
  const queries = queriesOf('pla');
  const others = queriesOf(life.random.pick(['toa', 'carousel']));
  for (const query of [...queries.slice(0, 1), life.random.pick(queries.slice(1)), life.random.pick(others)]) {
    const expected = await oracle.run(query, scope);
    for (const kept of [caches, new SourceCaches()]) {
      const source = openSegmentSource(table, state, kept);
      const actual = await runReport({ query, scope, settings: SETTINGS, source });
      const place = `${what} ${kept === caches ? 'warm' : 'cold'} ${JSON.stringify(query)}`;
      expect(differences(actual, expected).slice(0, 8), place).toEqual([]);
    }
  }
  oracle.close();
}

describe('sums after every step of a life of the table, and reports after every third, are those of the rows that it must hold', () => {
  const engine = useEngine();
  const seen = new Set<string>();

  test.each(Array.from({ length: LIVES }, (_, at) => at + 1))('life %i', { timeout: 900_000 }, async (seed) => {
    const life = new Life(seed);
    const { table } = await engine.createTable();
    expect((await loadRows(startLife(life), table)).problems).toEqual([]);
    const caches = new SourceCaches();
    for (let step = 1; step <= STEPS; step++) {
      const { what, rows, replace } = (step <= 3 ? addCampaign(life) : life.nextKind()(life)) ?? addCampaign(life);
      const place = `life ${seed}, step ${step} (${what})`;
      const { outcome, problems } = await loadRows(rows, table, replace === undefined ? {} : { replace });
      expect([outcome, problems], place).toEqual([expect.stringMatching(/^(loaded|unchanged)$/), []]);
      if (step % STEPS_PER_ABANDONED === 0) {
        const writer = await beginCommit(table, { owner: 'a load that fails' });
        await writeSample(writer, 1 + (step % 9));
        await writer.flush();
        await writer.abandon();
      }
      const input = { scope: scopeOf(life), source: openSegmentSource(table, await readCommit(table)) };
      await compareSums(life, input, place);
      await comparePlansAndShares(life, input, place);
      if (step % STEPS_PER_ORACLE === 0) await compare(life, table, place, caches);
      seen.add(what);
    }
  });

  test('every kind of step has been taken', () => {
    expect(seen.size).toBe(12);
  });
});
