import { describe, expect, test, vi } from 'vitest';
import type { ReportQuery, ReportResult } from '../../../shared/report/query/query.ts';
import { runReport } from '../../../shared/report/run-report.ts';
import { randomFrom } from '../../oracle/random/random.ts';
import type { Dataset } from '../../support/facts.ts';
import { memorySource } from '../../support/memory-source.ts';
import { SETTINGS } from '../../support/report-settings.ts';
import {
  type Attempt,
  datasetOf,
  marketOf,
  OWN,
  othersOf,
  randomAttempt,
  randomDelivery,
  withForeignChange,
} from './random-market.ts';

/** All datasets of a seed get the same requests. */
const SEEDS = Array.from({ length: 4 }, (_, i) => i + 1);
const ATTEMPTS = 100;

const marketMinOthers = 3;

/** @returns a function that runs reports over the dataset for the agency */
function askIn(dataset: Dataset): (attempt: Attempt) => Promise<ReportResult> {
  const source = memorySource(dataset, { rollups: true });
  return ({ query, advertiserIds }) => {
    const scope = { accountIds: new Set([1]), advertiserIds, ownAdvertiserIds: OWN };
    return runReport({ query, scope, settings: { ...SETTINGS, marketMinOthers }, source });
  };
}

/** @returns how many of the attempts have a share, after expecting that each has the same bytes in all datasets */
async function expectEqualBytes(seed: number, datasets: readonly Dataset[]): Promise<number> {
  const random = randomFrom(seed * 1_000);
  const [ask, ...others] = datasets.map(askIn);
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
});

test('the work of a report is the same whether keywords of rivals pass its filters or not, so that its time does not count them', async () => {
  const cell = { date: '2025-03-01', hour: 9, placement_id: 1, division_banner: 'Harvest', impressions: 10 };
  const crowd = (keyword: string) => [4, 5, 6].map((advertiserId) => ({ ...cell, keyword, advertiserId }));
  const workIn = async (rivals: readonly string[]): Promise<number> => {
    const delivery = [{ ...cell, keyword: 'oats', advertiserId: 1 }, ...['oats', ...rivals].flatMap(crowd)];
    const ask = askIn(datasetOf(delivery));
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
  const ask = askIn(datasetOf(delivery));
  const shareOf = async (changes: Partial<ReportQuery>) => {
    const query: ReportQuery = {
      ...{ experience: 'pla', startDate: '2025-03-01', endDate: '2025-03-01', metrics: ['share_of_voice'] },
      ...{ dimensions: [], filters: [], sort: [], pagination: { offset: 0, size: 100 } },
      ...changes,
    };
    return ask({ query, advertiserIds: OWN });
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
      expect(await shareOf({ dimensions, ...withKeyword('IN', 'oats', 'peach snacks') })).toEqual(known);
    }
    expect((await shareOf({})).totals).toEqual({ share_of_voice: 20 / 320 });
  });
});
