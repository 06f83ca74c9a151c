import { describe, expect, test, vi } from 'vitest';
import type { ReportQuery, ReportResult } from '../../shared/report/query/query.ts';
import { runReport } from '../../shared/report/run-report.ts';
import { type Random, randomFrom } from '../oracle/random/random.ts';
import { type Dataset, dataset, type FactRow } from '../support/facts.ts';
import { SETTINGS } from '../support/report-settings.ts';
import { storedSource } from '../support/stored-source.ts';

/** All datasets of a seed get the same requests. */
const SEEDS = Array.from({ length: 4 }, (_, i) => i + 1);
const ATTEMPTS = 100;

const marketMinOthers = 3;

/** @returns a function that runs reports over the dataset for the agency */
async function askIn(dataset: Dataset): Promise<(attempt: Attempt) => Promise<ReportResult>> {
  const source = await storedSource(dataset);
  return ({ query, advertiserIds }) => {
    const scope = { accountIds: new Set([1]), advertiserIds, ownAdvertiserIds: OWN };
    return runReport({ query, scope, settings: { ...SETTINGS, marketMinOthers }, source });
  };
}

/** @returns how many of the attempts have a share, after expecting that each has the same bytes in all datasets */
async function expectEqualBytes(seed: number, datasets: readonly Dataset[]): Promise<number> {
  const random = randomFrom(seed * 1_000);
  const [ask, ...others] = await Promise.all(datasets.map(askIn));
  let shares = 0;
  for (let i = 0; i < ATTEMPTS; i++) {
    const attempt = randomAttempt(random);
    const expected = await ask?.(attempt);
    for (const other of others) {
      expect(JSON.stringify(await other(attempt)), `SEED ${seed} ${JSON.stringify(attempt)}`).toBe(
        JSON.stringify(expected),
      );
    }
    if (expected?.data.some((row) => row.share_of_voice !== null && row.share_of_voice !== 0)) shares++;
  }
  return shares;
}

describe('share_of_voice shows nothing of rivals', () => {
  test.each(SEEDS)(
    'whatever one rival buys in slices that the caller is not in, every response has the same bytes (seed %i)',
    async (seed) => {
      const random = randomFrom(seed);
      const delivery = randomDelivery(random);
      const changed = withForeignChange(random, delivery);
      expect(marketOf(changed)).not.toEqual(marketOf(delivery));
      const shares = await expectEqualBytes(seed, [datasetOf(delivery), datasetOf(changed)]);
      expect(shares).toBeGreaterThan(ATTEMPTS / 10);
    },
  );

  /**
   * So the shares depend on nothing but the caller's own facts and the totals of cells with three other advertisers or more. Whatever is solved for
   * from any number of reports is a combination of such totals.
   */
  test.each(SEEDS)(
    'in slices that the caller is in, whatever cells with fewer than three others have, every response has the same bytes (seed %i)',
    async (seed) => {
      const random = randomFrom(100 + seed);
      const delivery = randomDelivery(random);
      const others = othersOf(delivery);
      const market = marketOf(delivery);
      const isCrowded = (row: (typeof market)[number]) => others(row) >= marketMinOthers;
      const changed = market.flatMap((row) => {
        const own = row.market_advertisers - others(row);
        if (isCrowded(row)) return [{ ...row, market_advertisers: own + marketMinOthers + random.int(9) }];
        if (random.chance(0.2)) return [];
        return [
          { ...row, market_impressions: random.int(9_000), market_advertisers: own + random.int(marketMinOthers) },
        ];
      });
      expect(market.filter(isCrowded).length).toBeGreaterThan(market.length / 10);
      expect(market.filter((row) => !isCrowded(row)).length).toBeGreaterThan(market.length / 10);
      const shares = await expectEqualBytes(seed, [datasetOf(delivery), datasetOf(delivery, changed)]);
      expect(shares).toBeGreaterThan(ATTEMPTS / 10);
    },
  );

  /** In an hour, the advertiser may be one of those that the market has, or not. */
  test.each(SEEDS)(
    'whatever market has in slices in which one of the caller’s advertisers has no hours on a day, every response has the same bytes (seed %i)',
    async (seed) => {
      const random = randomFrom(200 + seed);
      const hourly = randomDelivery(random);
      const [date, without] = [random.pick(DATES), random.pick(OWN)];
      const isWhole = (row: Delivery) => row.date === date && row.advertiserId === without;
      const delivery = hourly.map((row) => (isWhole(row) ? { ...row, hour: null } : row));
      const market = marketOf(hourly);
      const withoutHours = new Set(delivery.filter((row) => row.hour === null && row.impressions > 0).map(sliceOf));
      const changed = market.map((row) => {
        if (row.date !== date || !withoutHours.has(sliceOf(row))) return row;
        return { ...row, market_impressions: random.int(9_000), market_advertisers: random.int(9) };
      });
      const shares = await expectEqualBytes(seed, [datasetOf(delivery, market), datasetOf(delivery, changed)]);
      expect(shares).toBeGreaterThan(ATTEMPTS / 10);
    },
  );
});

test('the work of a report is the same whether keywords of rivals pass its filters or not, so that its time does not count them', async () => {
  const cell = { date: '2025-03-01', hour: 9, placement_id: 1, division_banner: 'Harvest', impressions: 10 };
  const crowd = (keyword: string) => [4, 5, 6].map((advertiserId) => ({ ...cell, keyword, advertiserId }));
  const workIn = async (rivals: readonly string[]): Promise<number> => {
    const delivery = [{ ...cell, keyword: 'oats', advertiserId: 1 }, ...['oats', ...rivals].flatMap(crowd)];
    const ask = await askIn(datasetOf(delivery));
    const filters = [
      { field: 'keyword' as const, operator: 'LIKE_IN' as const, values: ['oats', 'peach%'] },
      { field: 'keyword' as const, operator: 'NOT_LIKE' as const, values: LETTERS.map((letter) => `q${letter}`) },
    ];
    const query: ReportQuery = {
      ...{ experience: 'pla', startDate: cell.date, endDate: cell.date, metrics: ['share_of_voice'], dimensions: [] },
      ...{ filters, sort: [], pagination: { offset: 0, size: 10 } },
    };
    const fold = vi.spyOn(String.prototype, 'toLowerCase'); // of each text that is tested
    const { data } = await ask({ query, advertiserIds: OWN });
    expect(data).toEqual([{ share_of_voice: 0.25 }]);
    const work = fold.mock.calls.length;
    fold.mockRestore();
    return work;
  };
  const keywords = LETTERS.map((letter) => `peach ${letter}`);
  const reversed = keywords.map((keyword) => [...keyword].reverse().join(''));
  expect(await workIn(keywords)).toBe(await workIn(reversed));
});

const LETTERS = [...'abcdefghijklmnopqrstuvwxyz'];

/**
 * A rival prepares a campaign on "peach snacks". With `LIKE 'p%'`, `LIKE 'pe%'`, …, 727 requests once found that keyword. Two more found its
 * impressions in each hour: own impressions / share, with and without the keyword among the filter's values.
 */
describe('the attack that found a rival’s unreleased keyword', () => {
  const cell = { date: '2025-03-01', placement_id: 1, division_banner: 'Harvest' };
  const crowd = (keyword: string, hour: number, from: readonly number[]) =>
    from.map((advertiserId) => ({ ...cell, hour, keyword, advertiserId, impressions: 10 * advertiserId }));
  const delivery = [
    ...crowd('plum jam', 9, [1, 4, 5, 6]),
    ...crowd('oats', 9, [1, 4, 5, 6]),
    ...crowd('peach snacks', 9, [4]),
    ...crowd('peach snacks', 10, [4, 5, 6, 7]),
  ];
  const asking = askIn(datasetOf(delivery));
  const shareOf = async (changes: Partial<ReportQuery>) => {
    const query: ReportQuery = {
      ...{ experience: 'pla', startDate: '2025-03-01', endDate: '2025-03-01', metrics: ['share_of_voice'] },
      ...{ dimensions: [], filters: [], sort: [], pagination: { offset: 0, size: 100 } },
      ...changes,
    };
    return (await asking)({ query, advertiserIds: OWN });
  };
  const withKeyword = (operator: 'LIKE' | 'IN', ...values: string[]) => ({
    filters: [{ field: 'keyword' as const, operator, values }],
  });

  test('finds only the caller’s own keywords: for all others the response is that of an unknown value', async () => {
    const nothing = JSON.stringify(await shareOf(withKeyword('LIKE', 'unknown%')));
    const found: string[] = [];
    let requests = 0;
    const search = async (prefix: string): Promise<void> => {
      for (const letter of ' abcdefghijklmnopqrstuvwxyz') {
        requests++;
        const longer = prefix + letter;
        if (JSON.stringify(await shareOf(withKeyword('LIKE', `${longer}%`))) === nothing) continue;
        found.push(longer);
        await search(longer);
      }
    };
    await search('');
    const isWord = (text: string) => !found.some((other) => other !== text && other.startsWith(text));
    expect(found.filter(isWord)).toEqual(['oats', 'plum jam']);
    expect(requests).toBe(27 * (1 + 'oats'.length + 'plum jam'.length));
  });

  test('finds no impressions by the difference of two reports', async () => {
    for (const dimensions of [[], ['hour'], ['keyword'], ['daily_date', 'hour']] as const) {
      const known = await shareOf({ dimensions, ...withKeyword('IN', 'oats') });
      expect(known.totals).toEqual({ share_of_voice: 10 / 160 });
      const [rivals, nobodys] = await Promise.all(
        ['peach snacks', 'such a keyword'].map((keyword) =>
          shareOf({ dimensions, ...withKeyword('IN', 'oats', keyword) }),
        ),
      );
      expect(rivals).toMatchObject({ data: known.data, totals: known.totals, totalCount: known.totalCount });
      expect(JSON.stringify(rivals)).toBe(JSON.stringify(nobodys).replaceAll('such a keyword', 'peach snacks'));
    }
    expect((await shareOf({})).totals).toEqual({ share_of_voice: 20 / 320 });
  });
});

/** The caller is an agency: it owns three advertisers, and six others are its rivals. */
const OWN = [1, 2, 3];
const RIVALS = [4, 5, 6, 7, 8, 9];
const DATES = ['2025-02-27', '2025-02-28', '2025-03-01', '2025-03-02', '2025-03-03'];
const HOURS = [8, 9, 10];
const BANNERS = ['Harvest', null];
/** Keywords that the caller buys on some placements, and keywords that only rivals buy. */
const KEYWORDS = ['oat milk', 'oats', 'plums', 'jam', null];
const RIVAL_KEYWORDS = ['peach snacks', 'peanut', 'oat bars'];

/** What an advertiser delivered in one cell: an hour of a slice. */
type Cell = Pick<FactRow, 'date' | 'hour' | 'placement_id' | 'division_banner' | 'keyword'>;
type Delivery = Cell & { readonly advertiserId: number; readonly impressions: number };

const sliceOf = ({ placement_id, division_banner, keyword }: Cell): string =>
  JSON.stringify([placement_id, division_banner, keyword]);
const cellOf = (row: Cell): string => JSON.stringify([row.date, row.hour, sliceOf(row)]);

/** @returns the delivery of all advertisers; the caller is in some slices, and every day has delivery of it */
function randomDelivery(random: Random): Delivery[] {
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
function marketOf(delivery: readonly Delivery[]): MarketCell[] {
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
function othersOf(delivery: readonly Delivery[]): (row: Cell) => number {
  const rivals = delivery.filter(({ advertiserId, impressions }) => impressions > 0 && !OWN.includes(advertiserId));
  const counts = Map.groupBy(rivals, cellOf);
  return (row) => counts.get(cellOf(row))?.length ?? 0;
}

function datasetOf(delivery: readonly Delivery[], market: readonly MarketCell[] = marketOf(delivery)): Dataset {
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
function withForeignChange(random: Random, delivery: readonly Delivery[]): Delivery[] {
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
interface Attempt {
  readonly query: ReportQuery;
  readonly advertiserIds: readonly number[];
}

const MARKET_DIMENSIONS = ['daily_date', 'hour', 'placement', 'division_banner', 'keyword', 'week_date'] as const;
const DIMENSIONS = [...MARKET_DIMENSIONS, 'month_date', 'ad_group_id', 'advertiser_name', 'advertiser_type'] as const;
const METRICS = ['impressions', 'clicks', 'halo_units', 'pacing', 'unique_user_impressions'] as const;
const PATTERNS = ['p%', 'pe%', '%oat%', '%a%', 'jam', '%', 'no such value%', 'pre-launch%', '%snacks'];

function randomAttempt(random: Random): Attempt {
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
