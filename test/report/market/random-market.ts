import type { ReportQuery } from '../../../shared/report/query/query.ts';
import type { Random } from '../../oracle/random/random.ts';
import { type Dataset, dataset, type FactRow } from '../../support/facts.ts';

/** The caller is an agency: it owns three advertisers, and six others are its rivals. */
export const OWN = [1, 2, 3];
const RIVALS = [4, 5, 6, 7, 8, 9];
const DATES = ['2025-02-27', '2025-02-28', '2025-03-01', '2025-03-02', '2025-03-03'];
const HOURS = [8, 9, 10];
const BANNERS = ['Harvest', null];
/** Keywords that the caller buys on some placements, and keywords that only rivals buy. */
const KEYWORDS = ['oat milk', 'oats', 'plums', 'jam', null];
const RIVAL_KEYWORDS = ['peach snacks', 'peanut', 'oat bars'];

/** What an advertiser delivered in one cell: an hour of a slice. */
type Cell = Pick<FactRow, 'date' | 'hour' | 'placement_id' | 'division_banner' | 'keyword'>;
export type Delivery = Cell & { readonly advertiserId: number; readonly impressions: number };

export const sliceOf = ({ placement_id, division_banner, keyword }: Cell): string =>
  JSON.stringify([placement_id, division_banner, keyword]);
const cellOf = (row: Cell): string => JSON.stringify([row.date, row.hour, sliceOf(row)]);

/** @returns the delivery of all advertisers; the caller is in some slices, and every day has delivery of it */
export function randomDelivery(random: Random): Delivery[] {
  const rows: Delivery[] = [];
  const ownSlices = slices(KEYWORDS).filter(() => random.chance(0.5));
  const rivalSlices = slices([...KEYWORDS, ...RIVAL_KEYWORDS]);
  const add = (advertiserId: number, chance: number, of: typeof ownSlices) => {
    for (const slice of of) {
      for (const date of DATES) {
        for (const hour of HOURS) {
          const cell = { ...slice, date, hour };
          if (random.chance(chance)) rows.push({ ...cell, advertiserId, impressions: random.int(60) });
        }
      }
    }
  };
  for (const id of OWN) add(id, 0.35, ownSlices);
  for (const id of RIVALS) add(id, 0.45, rivalSlices);
  return rows;
}

function slices(keywords: readonly (string | null)[]): Pick<FactRow, 'placement_id' | 'division_banner' | 'keyword'>[] {
  return [1, 2].flatMap((placement_id) =>
    BANNERS.flatMap((division_banner) => keywords.map((keyword) => ({ placement_id, division_banner, keyword }))),
  );
}

/** A row of market, from the delivery of all advertisers. */
type MarketCell = Cell & { readonly market_impressions: number; readonly market_advertisers: number };

/** @returns the market that an operator would load: of each cell, the impressions and the advertisers that have some */
export function marketOf(delivery: readonly Delivery[]): MarketCell[] {
  const cells = Map.groupBy(
    delivery.filter(({ impressions }) => impressions > 0),
    cellOf,
  );
  return [...cells.values()].flatMap((rows) => {
    const [first] = rows;
    if (first === undefined) return [];
    const { advertiserId: _, impressions: __, ...cell } = first;
    const market_impressions = rows.reduce((sum, { impressions }) => sum + impressions, 0);
    return [{ ...cell, market_impressions, market_advertisers: rows.length }];
  });
}

/** @returns how many advertisers of each market row are rivals */
export function othersOf(delivery: readonly Delivery[]): (row: Cell) => number {
  const rivals = delivery.filter(({ advertiserId, impressions }) => impressions > 0 && !OWN.includes(advertiserId));
  const counts = Map.groupBy(rivals, cellOf);
  return (row) => counts.get(cellOf(row))?.length ?? 0;
}

export function datasetOf(delivery: readonly Delivery[], market: readonly MarketCell[] = marketOf(delivery)): Dataset {
  const all = [...OWN, ...RIVALS];
  return dataset({
    advertisers: all.map((id) => ({
      ...{ id, name: `Advertiser ${id}`, advertiserType: id % 2 === 0 ? 'BRAND' : null },
      ...(OWN.includes(id) ? { accountId: 1, accountIds: [1] } : { accountId: 2, accountIds: [2] }),
    })),
    campaigns: all.map((id) => ({ id: id * 10, advertiserId: id, name: `Campaign ${id}`, startDate: '2025-01-01' })),
    ad_groups: all.map((id) => ({ id: id * 100, advertiserId: id, campaignId: id * 10, name: `Ad group ${id}` })),
    delivery: delivery.map((row) => ({ ...row, ad_group_id: row.advertiserId * 100, clicks: row.impressions % 7 })),
    conversions: delivery
      .filter(({ impressions }) => impressions % 5 === 1)
      .map(({ impressions, ...row }) => ({ ...row, ad_group_id: row.advertiserId * 100, halo_units: impressions })),
    market,
  });
}

/** @returns the delivery after one rival has changed what it buys in slices that the caller is not in; the days with delivery stay the same */
export function withForeignChange(random: Random, delivery: readonly Delivery[]): Delivery[] {
  const rival = random.pick(RIVALS);
  const own = new Set(delivery.flatMap((row) => (OWN.includes(row.advertiserId) ? [sliceOf(row)] : [])));
  const kept = delivery.filter((row) => row.advertiserId !== rival || own.has(sliceOf(row)));
  const foreign = slices([...KEYWORDS, ...RIVAL_KEYWORDS, 'pre-launch secret']).filter((slice) => {
    return !own.has(sliceOf({ ...slice, date: '', hour: 0 }));
  });
  const added = foreign.flatMap((slice) =>
    DATES.flatMap((date) => HOURS.flatMap((hour) => (random.chance(0.5) ? [{ ...slice, date, hour }] : []))),
  );
  return [...kept, ...added.map((cell) => ({ ...cell, advertiserId: rival, impressions: random.int(500) }))];
}

/** A request of an attacker: a report and its advertisers. */
export interface Attempt {
  readonly query: ReportQuery;
  readonly advertiserIds: readonly number[];
}

const MARKET_DIMENSIONS = ['daily_date', 'hour', 'placement', 'division_banner', 'keyword', 'week_date'] as const;
const DIMENSIONS = [...MARKET_DIMENSIONS, 'month_date', 'ad_group_id', 'advertiser_name', 'advertiser_type'] as const;
const METRICS = ['impressions', 'clicks', 'halo_units', 'pacing', 'unique_user_impressions'] as const;
const PATTERNS = ['p%', 'pe%', '%oat%', '%a%', 'jam', '%', 'no such value%', 'pre-launch%', '%snacks'];

export function randomAttempt(random: Random): Attempt {
  const dimensions = random.sample(DIMENSIONS, random.int(5));
  const metrics = ['share_of_voice' as const, ...random.sample(METRICS, random.int(3))];
  const [from = 0, to = 0] = [random.int(DATES.length), random.int(DATES.length)].toSorted((a, b) => a - b);
  const filters = Array.from({ length: random.pick([0, 1, 1, 2]) }, () => randomFilter(random));
  const query: ReportQuery = {
    ...{ experience: 'pla', startDate: DATES[from] ?? '', endDate: DATES[to] ?? '', metrics, dimensions, filters },
    sort: random.sample([...dimensions, ...metrics], random.int(3)).map((field) => ({
      field,
      order: random.pick(['ASC', 'DESC'] as const),
    })),
    pagination: { offset: random.pick([0, 0, 2, 10]), size: random.pick([1, 5, 1_000]) },
  };
  return { query, advertiserIds: random.pick([OWN, OWN, [1], [2, 3]]) };
}

function randomFilter(random: Random): ReportQuery['filters'][number] {
  const kind = random.int(5);
  if (kind === 0) return { field: 'hour', operator: 'IN', values: random.sample(['8', '9', '10', '11'], 2) };
  if (kind === 1) return { field: 'placement', operator: 'EQUALS', values: [random.pick(['Search', 'Home', 'None'])] };
  if (kind === 2) return { field: 'share_of_voice', operator: 'GREATER_THAN', values: ['0.2'] };
  if (kind === 3) return { field: 'ad_group_id', operator: 'NOT_EQUALS', values: [random.pick(['100', '200', '400'])] };
  const operator = random.pick(['LIKE_IN', 'NOT_LIKE'] as const);
  return { field: 'keyword', operator, values: random.sample(PATTERNS, 1 + random.int(3)) };
}
