import { type DayColumn, type FactTable, keyIn, measureOf, measuresOf } from '../../../shared/catalog/tables.ts';
import { PLATFORM_ID } from '../../../shared/layout/partitions.ts';
import type { FolderRows } from '../../load/support/network-rows.ts';
import { addUnidentified, omitEmpty, type Row } from '../../load/support/read-stored-network.ts';
import type { LoadRow } from '../../real/write-folder.ts';
import { type Dataset, type DimensionRow, dataset, type FactRow } from '../../support/facts.ts';
import { hashShopper } from '../../support/user-id-key.ts';
import { type Random, randomFrom } from '../random/random.ts';

export const ADVERTISERS = [10, 11, 12];
/** Advertisers that always stay: a report reads a shard of 16 or more. */
const CROWD = Array.from({ length: 17 }, (_, at) => 20 + at);
/** All that a life may ever have, and the platform. */
export const OWNERS = [PLATFORM_ID, ...ADVERTISERS, ...CROWD];
/** Has rows that always stay, so that there is delivery. */
const FIRST_DAY = '2026-02-25';
/** In two months, so that one may become empty. */
export const DAYS = ['2026-02-26', '2026-02-27', '2026-02-28', '2026-03-01', '2026-03-02'];
export const HOURS = [0, 7, 12, 23];
export const KEYWORDS = ['oat', 'rye', null];
const MICROS = 1_000_000;

export type LifeTable = Exclude<FactTable, 'activity'>;
export type LifeRow = FactRow & { readonly hour: number | null };
export interface Fact {
  readonly table: LifeTable;
  readonly row: LifeRow;
}

/** With its ad groups. */
interface Campaign {
  readonly advertiserId: number;
  readonly adGroups: Map<number, string>;
  name: string;
  budget: number;
  state: 'listed' | 'archived' | 'deleted';
  /** By the day from which they are in force. */
  readonly budgets: Map<string, number>;
}

/** What the table must hold, kept without the loader's code. */
export class Life {
  readonly random: Random;
  readonly advertisers = new Map<number, string>();
  readonly campaigns = new Map<number, Campaign>();
  facts: readonly Fact[] = [];
  #names = 0;

  constructor(seed: number) {
    this.random = randomFrom(seed);
  }

  /** @returns the rows of the first load: the advertisers of CROWD, each with an ad group and two rows */
  begin(): FolderRows {
    for (const advertiserId of CROWD) {
      this.advertisers.set(advertiserId, this.newName());
      const [, campaign] = this.addCampaign(advertiserId, 1);
      const [id = 0] = campaign.adGroups.keys();
      const row = { hour: 0, ad_group_id: id, keyword: 'oat', impressions: 100, clicks: 1, cost: 2.5 };
      const dates = [FIRST_DAY, this.random.pick(DAYS)];
      this.put(dates.map((date) => ({ table: 'delivery', row: { experience: 'pla', advertiserId, date, ...row } })));
    }
    const advertisers = [...this.advertisers].map(([id, name]) => ({ id, name, accountId: 1, accountIds: [1] }));
    const facts = this.facts.map(({ row }) => fileRow(row));
    return { accounts: [ACCOUNT], advertisers, ...this.listings(), 'facts/pla/delivery': facts };
  }

  newName(): string {
    return `${this.random.pick(['Oak', 'Elm'])} ${++this.#names}`;
  }

  addCampaign(advertiserId: number, adGroups: number): [number, Campaign] {
    const id = 100 + ++this.#names;
    const ids = Array.from({ length: adGroups }, (_, at) => [id * 10 + at, this.newName()] as const);
    const given = { name: this.newName(), budget: 1 + (id % 7), state: 'listed', budgets: new Map() } as const;
    const campaign: Campaign = { advertiserId, adGroups: new Map(ids), ...given };
    this.campaigns.set(id, campaign);
    return [id, campaign];
  }

  campaignsIn(...states: Campaign['state'][]): [number, Campaign][] {
    return [...this.campaigns].filter(([, { state }]) => states.includes(state));
  }

  /** @returns rows of the listings */
  listings(campaigns = this.campaignsIn('listed')): { campaigns: LoadRow[]; ad_groups: LoadRow[] } {
    return {
      campaigns: campaigns.map(([id, { advertiserId, name, budget }]) => {
        return { id, advertiserId, name, ...RUNNING, budget, budgetType: 'DAILY' };
      }),
      ad_groups: campaigns.flatMap(([campaignId, { adGroups }]) =>
        [...adGroups].map(([id, name]) => ({ id, campaignId, name, status: 'ACTIVE' })),
      ),
    };
  }

  forget(isGone: (fact: Fact) => boolean): void {
    this.facts = this.facts.filter((fact) => !isGone(fact));
  }

  /** Adds facts. A day has the columns that any of its hours has. */
  put(facts: readonly Fact[]): void {
    this.facts = [...Map.groupBy([...this.facts, ...facts], dayOf).values()].flatMap((day) => {
      const [first = new Set<DayColumn>(), ...others] = day.map(({ row }) => new Set(row.unmeasured));
      const unmeasured = [...others.reduce((all, own) => all.intersection(own), first)];
      return day.map(({ table, row }) => ({ table, row: { ...row, unmeasured } }));
    });
  }

  /** @returns the stored rows of each day, as `readDays` returns them: rows with equal keys are summed, and their users united */
  storedDays(): Record<string, Row[]> {
    const days = [...Map.groupBy(this.facts, dayOf)].map(([name, facts]) => {
      const groups = Map.groupBy(
        facts,
        ({ row: { hour, ad_group_id, keyword } }) => `${hour} ${ad_group_id} ${keyword}`,
      );
      return [name, [...groups.values()].map(sumFacts)] as const;
    });
    return Object.fromEntries(days);
  }

  /** @returns the stored rows of dimension tables, as `readTables` returns them */
  storedTables(): Record<string, Row[]> {
    const { accounts, advertisers, campaigns, ad_groups } = this.dataset().tables;
    const ofMicros = campaigns.map((row) => ({ ...row, budget: Number(row.budget ?? 0) * MICROS }));
    const owned = Object.entries({ campaigns: ofMicros, ad_groups }).flatMap(([table, rows]) =>
      [...Map.groupBy<unknown, DimensionRow>(rows, ({ advertiserId }) => advertiserId)].map(
        ([id, own]) => [`${table} ${id}`, own.map(({ advertiserId: _, ...row }) => omitEmpty(row))] as const,
      ),
    );
    const ofPlatform = advertisers.map((row) => ({ ...row, accountIds: String(row.accountIds) }));
    const platform = { [`accounts ${PLATFORM_ID}`]: [...accounts], [`advertisers ${PLATFORM_ID}`]: ofPlatform };
    return { ...Object.fromEntries(owned), ...platform };
  }

  dataset(): Dataset {
    const rowsOf = (table: LifeTable) => this.facts.filter((fact) => fact.table === table).map(({ row }) => row);
    const archived = ({ state }: Campaign) => ({ archived: state === 'archived' ? 1 : null });
    const all = [...this.campaigns];
    const campaigns = all.map(([id, campaign]): DimensionRow => {
      const { advertiserId, name, budget, budgets, state } = campaign;
      const texts = [...budgets].sort().map(([day, amount]) => `${day} ${amount * MICROS} DAILY`);
      const history = { budgets: texts.join() || null };
      if (state === 'deleted') return { id, advertiserId, name: String(id), ...history, archived: 1 };
      return { id, advertiserId, name, ...RUNNING, budget, budgetType: 'DAILY', ...history, ...archived(campaign) };
    });
    const adGroups = all.flatMap(([campaignId, campaign]) =>
      [...campaign.adGroups].map(([id, name]): DimensionRow => {
        const ids = { id, campaignId, advertiserId: campaign.advertiserId };
        if (campaign.state === 'deleted') return { ...ids, name: String(id), archived: 1 };
        return { ...ids, name, ...RUNNING, ...archived(campaign) };
      }),
    );
    return dataset({
      accounts: [ACCOUNT],
      advertisers: [...this.advertisers].map(([id, name]) => ({ id, name, accountId: 1, accountIds: [1] })),
      ...{ placements: [], campaigns, ad_groups: adGroups },
      ...{ delivery: rowsOf('delivery'), conversions: rowsOf('conversions'), market: rowsOf('market') },
    });
  }
}

const ACCOUNT = { id: 1, name: 'Acme' };
const RUNNING = { status: 'ACTIVE', startDate: '2026-01-01' };

export const dayOf = ({ table, row: { experience, advertiserId, date } }: Fact): string =>
  `${experience} ${table} ${advertiserId} ${date}`;

/** @param facts with equal keys */
function sumFacts(facts: readonly Fact[]): Row {
  const table = facts[0]?.table ?? 'delivery';
  const rows = facts.map(({ row }): Row => {
    const measures = measuresOf(table).map((name) => [
      name,
      Math.round((Object(row)[name] ?? 0) * measureOf(name).scale),
    ]);
    const users = (row.users ?? []).map(hashShopper);
    return addUnidentified(table, omitEmpty({ ...Object.fromEntries(measures), users }), 1);
  });
  const sumOf = (name: string) => rows.reduce((sum, row) => sum + Number(row[name] ?? 0), 0);
  const users = new Set(rows.flatMap((row) => (Array.isArray(row.users) ? row.users.map(Number) : [])));
  const { hour = null, ad_group_id = null, keyword = null } = facts[0]?.row ?? {};
  const sums = Object.fromEntries(measuresOf(table).map((name) => [name, sumOf(name)]));
  const summed = { hour, ad_group_id, keyword, ...sums, users: [...users].sort((a, b) => a - b) };
  return addUnidentified(table, omitEmpty(summed), -1);
}

/** @returns the row in a fact file */
export function fileRow({ experience: _, advertiserId: __, unmeasured: ___, date, ...row }: LifeRow): LoadRow {
  const { market_impressions: impressions = row.impressions, market_advertisers: advertisers, ...cells } = row;
  const named = { ...cells, impressions, advertisers };
  return Object.fromEntries([
    ['daily_date', date],
    ...Object.entries(named).map(([name, cell]) => [name, cell ?? undefined]),
  ]);
}

/** @returns the facts of a file, each with the keys that are empty in all rows of its day: `hour`, in those of its owner */
export function withoutKeys(facts: readonly Fact[]): Fact[] {
  return facts.map(({ table, row }) => {
    const ofDay = facts.filter((other) => other.row.date === row.date).map((other) => other.row);
    const own = ofDay.filter(({ advertiserId }) => advertiserId === row.advertiserId);
    const hasKeyword = row.experience !== 'pla' || ofDay.some(({ keyword }) => keyword !== null);
    const lacked = [
      ...(own.some(({ hour }) => hour !== null) ? [] : ['hour' as const]),
      ...(hasKeyword ? [] : ['keyword' as const]),
    ];
    return {
      table,
      row: { ...row, unmeasured: [...(row.unmeasured ?? []), ...lacked.map((key) => keyIn(table, key))] },
    };
  });
}
