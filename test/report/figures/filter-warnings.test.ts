import { describe, expect, test } from 'vitest';
import type { Filter } from '../../../shared/report/query/query.ts';
import { dataset } from '../../support/facts.ts';
import { run } from './run.ts';

const data = dataset({
  advertisers: [
    { id: 1, name: 'Oat Hill', accountId: 1, accountIds: '1' },
    { id: 2, name: 'Brook', accountId: 1, accountIds: '1' },
  ],
  campaigns: [{ id: 10, advertiserId: 1, name: 'Spring Sale', status: 'ACTIVE' }],
  ad_groups: [{ id: 1, advertiserId: 1, campaignId: 10, status: 'PAUSED' }],
  delivery: [
    { date: '2025-03-01', advertiserId: 1, ad_group_id: 1, keyword: 'oat milk', impressions: 30 },
    { date: '2025-03-02', advertiserId: 1, ad_group_id: 1, keyword: 'OAT milk', impressions: 5 },
  ],
  conversions: [
    { date: '2025-03-01', advertiserId: 1, conversion_source: 'ONLINE', halo_transactions: 2 },
    { date: '2025-03-01', advertiserId: 1, conversion_source: 'IN_STORE', halo_transactions: 3 },
  ],
});

/** @returns code, field and detail of each warning */
/** @returns the warnings but that of a report without rows */
async function warningsOf(metric: 'impressions' | 'halo_transactions', ...filters: readonly Filter[]) {
  const { meta } = await run(data, { metrics: [metric], filters });
  return meta.warnings.flatMap(({ code, field, detail }) => (code === 'NO_ROWS' ? [] : [[code, field, detail]]));
}

const filter = (field: Filter['field'], operator: Filter['operator'], ...values: readonly string[]): Filter => ({
  field,
  operator,
  values,
});

describe('a filter with a value that can never occur is answered with a warning that names the near value', () => {
  test.each([
    [
      filter('campaign_status', 'EQUALS', 'active'),
      'campaign_status is never "active": it is one of DRAFT, SCHEDULED, ACTIVE, PAUSED, ENDED. Did you mean "ACTIVE"?',
    ],
    [
      filter('campaign_status', 'EQUALS', 'ACTVIE'),
      'campaign_status is never "ACTVIE": it is one of DRAFT, SCHEDULED, ACTIVE, PAUSED, ENDED. Did you mean "ACTIVE"?',
    ],
    [
      filter('ad_group_status', 'NOT_IN', 'ENDED', 'stopped'),
      'ad_group_status is never "stopped": it is one of DRAFT, SCHEDULED, ACTIVE, PAUSED, ENDED, UNDER_REVIEW, FAILED.',
    ],
    [
      filter('campaign_budget_type', 'EQUALS', 'Daily'),
      'campaign_budget_type is never "Daily": it is one of DAILY, WEEKLY, MONTHLY, LIFETIME. Did you mean "DAILY"?',
    ],
    [filter('hour', 'IN', '23', '24'), 'hour is never "24": it is from 0 to 23.'],
    [filter('hour', 'GREATER_THAN', '23'), 'hour is never GREATER_THAN "23": it is from 0 to 23.'],
    [
      filter('experience_name', 'EQUALS', 'PLA'),
      'experience_name is never "PLA" in this report: it is pla. Did you mean "pla"?',
    ],
    [filter('experience_name', 'NOT_LIKE', '%'), 'experience_name is never NOT_LIKE "%" in this report: it is pla.'],
    [filter('experience_name', 'EQUALS', 'toa'), 'experience_name is never "toa" in this report: it is pla.'],
    [
      filter('campaign_status', 'LIKE', 'run%'),
      'campaign_status is never LIKE "run%": it is one of DRAFT, SCHEDULED, ACTIVE, PAUSED, ENDED.',
    ],
  ] as const)('%o', async (wrong, detail) => {
    expect(await warningsOf('impressions', wrong)).toEqual([['VALUE_CANNOT_OCCUR', wrong.field, detail]]);
  });

  test('unless it selects facts without a value', async () => {
    expect(await warningsOf('impressions', filter('campaign_status', 'NOT_LIKE', '%'))).toEqual([]);
  });

  test('and names at most five of them', async () => {
    const values = Array.from({ length: 900 }, (_, i) => `x${i}`);
    const [[, , detail] = []] = await warningsOf('impressions', filter('campaign_status', 'IN', ...values));
    expect(detail).toContain('campaign_status is never "x0", "x1", "x2", "x3", "x4", …: it is one of');
  });
});

describe('a BETWEEN whose bounds are reversed is answered with a warning that has them in order', () => {
  test.each([
    [filter('impressions', 'BETWEEN', '100', '20'), ['100', '20']],
    [filter('hour', 'BETWEEN', '18', '9'), ['18', '9']],
    [filter('daily_date', 'BETWEEN', '2025-03-09', '2025-03-01'), ['2025-03-09', '2025-03-01']],
    [filter('keyword', 'BETWEEN', 'b', 'a'), ['b', 'a']],
    [filter('entity_id', 'BETWEEN', '10', '9'), ['10', '9']],
  ] as const)('%o', async (reversed, [first, second]) => {
    expect(await warningsOf('impressions', reversed)).toEqual([
      [
        'EMPTY_RANGE',
        reversed.field,
        `${reversed.field} is never between "${first}" and "${second}": the lower bound comes first. Did you mean "${second}" and "${first}"?`,
      ],
    ]);
  });

  test('but UPCs without leading zeros are in order by their digits: 9 comes before 10', async () => {
    expect(await warningsOf('impressions', filter('entity_id', 'BETWEEN', '9', '10'))).toEqual([]);
  });
});

describe('a text that differs from existing values only by case, white space or composition is answered with a warning that names the first of these', () => {
  test.each([
    ['keyword', 'Oat Milk', '"OAT milk"'],
    ['campaign_name', 'spring sale', '"Spring Sale"'],
    ['advertiser_name', 'OAT HILL', '"Oat Hill"'],
    ['advertiser_name', ' Oat  Hill', '"Oat Hill"'],
    ['campaign_name', 'SpringSale', '"Spring Sale"'],
    ['campaign_name', 'Spring\u00a0Sale', '"Spring Sale"'],
    ['advertiser_name', 'Oat \uff28\uff49\uff4c\uff4c', '"Oat Hill"'],
  ] as const)('%s "%s"', async (field, text, near) => {
    const [[code, named, detail] = []] = await warningsOf('impressions', filter(field, 'EQUALS', text));
    expect([code, named]).toEqual(['VALUE_NOT_FOUND', field]);
    expect(detail).toContain(`${field} is never "${text}" in the facts of this report, where it differs in case`);
    expect(detail).toContain(`Did you mean ${near}?`);
  });

  test('whether another filter that selects nothing comes before or after it', async () => {
    const filters = [filter('keyword', 'EQUALS', 'tea'), filter('campaign_name', 'EQUALS', 'spring sale')];
    const warnings = [['VALUE_NOT_FOUND', 'campaign_name', expect.stringContaining('Did you mean "Spring Sale"?')]];
    expect(await warningsOf('impressions', ...filters)).toEqual(warnings);
    expect(await warningsOf('impressions', ...filters.toReversed())).toEqual(warnings);
  });

  test('but not if the text exists, too, nor if it is only unknown', async () => {
    expect(await warningsOf('impressions', filter('keyword', 'EQUALS', 'oat milk'))).toEqual([]);
    expect(await warningsOf('impressions', filter('keyword', 'IN', 'tea', 'oat milk', 'OAT milk'))).toEqual([]);
    expect(await warningsOf('impressions', filter('keyword', 'EQUALS', 'tea'))).toEqual([]);
    expect(await warningsOf('impressions', filter('keyword', 'LIKE', 'OAT MILK'))).toEqual([]);
  });

  test('also where another filter on the same column excludes the existing text', async () => {
    const filters = [filter('campaign_status', 'EQUALS', 'PAUSED'), filter('campaign_name', 'EQUALS', 'SPRING SALE')];
    expect((await warningsOf('impressions', ...filters)).map(([code]) => code)).toEqual(['VALUE_NOT_FOUND']);
  });
});

describe('a conversion source that the data does not have is answered with a warning that lists those it has', () => {
  test.each([
    ['online', ' Did you mean "ONLINE"?'],
    ['WEB', ''],
  ])('%s', async (text, advice) => {
    expect(await warningsOf('halo_transactions', filter('conversion_source', 'EQUALS', text))).toEqual([
      [
        'VALUE_NOT_FOUND',
        'conversion_source',
        `conversion_source is never "${text}" in the facts of this report: it is IN_STORE, ONLINE.${advice}`,
      ],
    ]);
  });

  test('but not where no facts were read that could have one', async () => {
    const warnings = await warningsOf('impressions', filter('conversion_source', 'EQUALS', 'WEB'));
    expect(warnings.map(([code]) => code)).toEqual(['NOT_AT_THIS_GRAIN']);
  });
});

test('texts of rivals are never named, although share_of_voice reads the market under the same filters', async () => {
  const market = dataset({
    delivery: [{ date: '2025-03-01', keyword: 'tea', impressions: 10 }],
    market: [
      { date: '2025-03-01', keyword: 'tea', market_impressions: 100, market_advertisers: 9 },
      { date: '2025-03-01', keyword: 'Secret Launch', market_impressions: 100, market_advertisers: 9 },
    ],
  });
  const { meta } = await run(market, {
    metrics: ['share_of_voice'],
    filters: [filter('keyword', 'IN', 'tea', 'secret launch')],
  });
  expect(JSON.stringify(meta.warnings)).not.toContain('Secret Launch');
});
