import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Instance, openTestService, type TestService } from '../../http/support/test-service.ts';
import type { LoadRow } from '../../real/write-folder.ts';
import { printFigures } from '../support/budget.ts';
import { askReport, ok, sendReport } from './ask.ts';

/** The largest id, of every kind of row. */
const LAST = Number.MAX_SAFE_INTEGER;
const SMALL = 7;

const DAY_MS = 86_400_000;
const dayAfter = (date: string, days: number) => new Date(Date.parse(date) + days * DAY_MS).toISOString().slice(0, 10);

/** Two years with a leap day, a year with a week 53, and a day of 23 and one of 25 hours. */
const FIRST = '2019-12-30';
const DAYS = Array.from({ length: 732 }, (_, i) => dayAfter(FIRST, i));
const SHORT_DAY = '2026-03-08';
const LONG_DAY = '2026-11-01';

/** Texts of the kinds that often break software. */
const TEXTS = [
  ...['Plain', 'plain', 'PLAIN', 'Å', 'ﬁ', 'fi', 'ß', 'SS', 'ı', 'İ', 'i', 'ſ', 'ς', 'Σ'],
  ...[
    '\u{1F600}',
    '\u{1F468}\u200d\u{1F469}\u200d\u{1F467}',
    '\u{10FFFF}',
    '\uFF5E',
    '\uE000',
    '\u{10400}',
    '\uFFFD',
    '\uFFFE',
  ],
  ...['\u2028line', '\u00a0x'],
  ...[
    '"quoted"',
    "o'clock",
    'a,b',
    'a|b',
    'a\\b',
    '%',
    '%%',
    '_',
    '100%',
    '<script>',
    '{{x}}',
    '$x',
    '=1+1',
    '../..',
    '#',
    '~',
    '\uFFFF',
  ],
  ...[
    'null',
    'true',
    '0',
    '-0',
    '1e3',
    'NaN',
    '__proto__',
    'constructor',
    'toString',
    'é'.repeat(1_000),
    '\u{1F600}'.repeat(1_000),
  ],
] as const;

/** The texts as banners, which must not be words for NULL. */
const BANNERS = TEXTS.map((text) => (['null', 'NaN'].includes(text) ? `${text}?` : text));

const place = { hour: 1, ad_group_id: LAST, impressions: 1 };
const FILES: Readonly<Record<string, readonly LoadRow[]>> = {
  accounts: [
    { id: LAST, name: 'Last' },
    { id: SMALL, name: 'Small' },
  ],
  advertisers: [{ id: LAST, name: 'Last', accountId: LAST, accountIds: [LAST, SMALL] }],
  contacts: [{ id: LAST, firstName: 'A', lastName: 'B', email: 'a@b.c', contactType: 'CPG', accountIds: [LAST] }],
  addresses: [
    { id: LAST, companyName: 'C', addressLine1: 'D', city: 'E', country: 'F', addressType: 'CPG', accountIds: [LAST] },
  ],
  placements: [{ id: LAST, name: 'Last', experiences: ['pla'] }],
  products: [{ id: LAST, advertiserId: LAST, upc: '9999999999999', name: 'Last' }],
  campaigns: [{ id: LAST, advertiserId: LAST, name: 'Last', status: 'ACTIVE', startDate: '2019-01-01' }],
  ad_groups: [
    { id: LAST, campaignId: LAST, name: 'Last', status: 'ACTIVE', productIds: [LAST] },
    ...TEXTS.map((name, i) => ({ id: LAST - 1 - i, campaignId: LAST, name, status: 'PAUSED' })),
  ],
  users: [{ userId: 'ana', name: 'Ana', userType: 'AGENCY', accountIds: [LAST, SMALL] }],
  'facts/pla/delivery': [
    ...DAYS.map((daily_date) => ({ ...place, daily_date })),
    ...Array.from({ length: 24 }, (_, hour) =>
      [SHORT_DAY, LONG_DAY].map((daily_date) => ({ ...place, daily_date, hour })),
    ).flat(),
    // the hour that occurs twice, and midnight as an instant
    { ...place, daily_date: LONG_DAY, hour: 1 },
    { ...place, daily_date: '2026-03-08T05:00:00Z' },
    { ...place, daily_date: '2026-03-09T04:00:00Z' },
  ],
  'facts/toa/delivery': TEXTS.map((_, i) => ({
    daily_date: '2026-02-01',
    hour: 0,
    ad_group_id: LAST - 1 - i,
    placement_id: LAST,
    impressions: LAST,
  })),
  'facts/carousel/delivery': BANNERS.map((division_banner, i) => ({
    daily_date: '2026-02-01',
    hour: 0,
    ad_group_id: LAST,
    division_banner,
    impressions: i + 1,
  })),
};

let service: TestService;
let instance: Instance;
beforeAll(async () => {
  service = await openTestService({ files: FILES, users: ['ana'] });
  instance = await service.start();
});
afterAll(() => service.close());

/** What the tests of dates have compared. */
const figures = { days: 0, weeks: 0, months: 0, 'days of 23 or 25 hours': 0 };

describe('dates', () => {
  afterAll(() => printFigures('odd, dates', figures));

  test('of two years are in the weeks and months of the calendar, leap day and week 53 included', async () => {
    const period = { startDate: DAYS[0], endDate: DAYS.at(-1) };
    const weeks = await askReport(instance, 'ana', { ...period, dimensions: ['week_date'] });
    const months = await askReport(instance, 'ana', { ...period, dimensions: ['month_date'] });
    const mondayOf = (date: string) => dayAfter(date, -((new Date(date).getUTCDay() + 6) % 7));
    const count = (of: (date: string) => string) => [...Map.groupBy(DAYS, of)].map(([key, days]) => [key, days.length]);
    expect(weeks.data.map((row) => [row.week_date, row.impressions])).toEqual(count(mondayOf));
    expect(months.data.map((row) => [row.month_date, row.impressions])).toEqual(
      count((date) => `${date.slice(0, 7)}-01`),
    );
    expect(weeks.data.find((row) => row.week_date === '2020-12-28')?.impressions).toBe(7); // ISO week 53
    expect(months.data.find((row) => row.month_date === '2020-02-01')?.impressions).toBe(29);
    expect([weeks.totals, months.totals]).toEqual([{ impressions: DAYS.length }, { impressions: DAYS.length }]);
    const tooLong = await sendReport(instance, 'ana', { startDate: DAYS[0], endDate: dayAfter(FIRST, 732) });
    expect([tooLong.status, Object(tooLong.body).errors[0].code]).toEqual([422, 'TOO_MANY_DAYS']);
    figures.days += DAYS.length;
    figures.weeks += weeks.data.length;
    figures.months += months.data.length;
  });

  test.each([SHORT_DAY, LONG_DAY])('of 23 and 25 hours have every fact once (%s)', async (day) => {
    const hours = await askReport(instance, 'ana', { startDate: day, endDate: day, dimensions: ['hour'] });
    expect(hours.totals).toEqual({ impressions: 24 + 1 }); // one fact per hour, and a second one in hour 1
    expect(hours.data.map((row) => row.hour)).toEqual(Array.from({ length: 24 }, (_, hour) => hour));
    expect(hours.data[1]?.impressions).toBe(2);
    figures['days of 23 or 25 hours'] += 1;
  });

  test('an instant at which a day of the platform’s zone begins is that day', async () => {
    const report = await askReport(instance, 'ana', {
      startDate: SHORT_DAY,
      endDate: '2026-03-09',
      dimensions: ['daily_date'],
    });
    expect(report.data).toEqual([
      { daily_date: SHORT_DAY, impressions: 25 },
      { daily_date: '2026-03-09', impressions: 1 },
    ]);
  });
});

describe('texts', () => {
  const byCodePoint = (a: string, b: string) => {
    const [left, right] = [[...a], [...b]].map((text) => text.map((char) => char.codePointAt(0) ?? 0)) as [
      number[],
      number[],
    ];
    const at = left.findIndex((point, i) => point !== right[i]);
    return at < 0 ? left.length - right.length : (left[at] ?? 0) - (right[at] ?? -1);
  };
  const period = { startDate: '2026-02-01', endDate: '2026-02-01' };

  test('of every kind are rows of their own, in the order of code points', async () => {
    for (const [experience, field, texts] of [
      ['toa', 'ad_group_name', TEXTS],
      ['carousel', 'division_banner', BANNERS],
    ] as const) {
      const { data } = await askReport(instance, 'ana', { ...period, dimensions: [field] }, experience);
      expect(data.map((row) => row[field])).toEqual([...texts].sort(byCodePoint));
    }
  });

  test('of every kind are found by a filter, and only they', async () => {
    let found = 0;
    for (const [i, text] of BANNERS.entries()) {
      const filters = [{ field: 'division_banner', operator: 'EQUALS', values: [text] }];
      const response = await sendReport(
        instance,
        'ana',
        { ...period, dimensions: ['division_banner'], filters },
        'carousel',
      );
      // the body of a request cannot have U+FFFD, which stands for invalid bytes
      if (text.includes('\uFFFD')) expect(response.status).toBe(400);
      else expect(Object(ok(response).body).data).toEqual([{ division_banner: text, impressions: i + 1 }]);
      if (response.status === 200) found += 1;
    }
    printFigures('odd, texts', { texts: TEXTS.length, 'found by filters': found });
  });
});

describe('the largest id, 2^53 - 1', () => {
  test('is returned and accepted wherever an id is', async () => {
    const list = async (
      name: 'list-accounts' | 'list-advertisers' | 'list-contacts' | 'list-addresses' | 'list-placements',
    ) => {
      const response = ok(await instance.send(name, { key: 'key-ana', query: [['account_id', String(LAST)]] }));
      return Object(response.body).data.map(({ id }: { id: number }) => id);
    };
    expect(await list('list-accounts')).toEqual([SMALL, LAST]);
    for (const name of ['list-advertisers', 'list-contacts', 'list-addresses', 'list-placements'] as const)
      expect(await list(name)).toEqual([LAST]);
    const products = ok(
      await instance.send('list-available-products', { key: 'key-ana', pathParameters: { ad_group_id: String(LAST) } }),
    );
    expect(Object(products.body).data).toMatchObject([{ id: LAST }]);
    const equal = (field: string) => ({ field, operator: 'EQUALS', values: [String(LAST)] });
    const { data } = await askReport(instance, 'ana', {
      ...{
        startDate: SHORT_DAY,
        endDate: SHORT_DAY,
        advertiserIds: [LAST],
        dimensions: ['advertiser_id', 'campaign_id', 'ad_group_id'],
      },
      filters: ['advertiser_id', 'campaign_id', 'ad_group_id'].map(equal),
    });
    expect(data).toEqual([{ advertiser_id: LAST, campaign_id: LAST, ad_group_id: LAST, impressions: 25 }]);
    expect(Object((await instance.send('get-jwt-claims', { key: 'key-ana' })).body).accountIds).toEqual([SMALL, LAST]);
  });

  test('differs from its neighbours, and sums of such numbers are exact to the nearest double', async () => {
    const { data, totals } = await askReport(
      instance,
      'ana',
      { startDate: '2026-02-01', endDate: '2026-02-01', dimensions: ['ad_group_id'] },
      'toa',
    );
    expect(data.map((row) => row.ad_group_id)).toEqual(TEXTS.map((_, i) => LAST - 1 - i).toReversed());
    expect(totals.impressions).toBe(Number(BigInt(LAST) * BigInt(TEXTS.length)));
    printFigures('odd, largest id', { id: LAST, neighbours: data.length, sum: Number(totals.impressions) });
  });
});
