import { afterAll, describe, expect, test } from 'vitest';
import { type CreateKeyOptions, createKey } from '../../shared/identity/api-keys.ts';
import { GOOD_REPORT } from '../support/report-settings.ts';
import { reportRequest } from './support/gateway-event.ts';
import { openTestService } from './support/test-service.ts';

const service = await openTestService();
const instance = await service.start();
afterAll(() => service.close());

type Header = readonly [string, string];

/** Sends GET /report/pla with the query. */
const get = (query: string, headers: readonly Header[] = [], key: string | undefined = 'key-ana') =>
  instance.send('submit-report', {
    method: 'GET',
    pathParameters: { experience_name: 'pla' },
    query: [...new URLSearchParams(query)],
    requestId: 'r-1',
    headers,
    ...(key === '' ? {} : { key }),
  });

const post = (change: object, headers: readonly Header[] = []) =>
  instance.send(
    'submit-report',
    reportRequest(JSON.stringify({ ...GOOD_REPORT, ...change }), {
      headers: [['Content-Type', 'application/json'], ...headers],
      requestId: 'r-1',
    }),
  );

const PERIOD = 'start=2026-02-01&end=2026-02-02';
const WHOLE = { pagination: { offset: 0, size: 10_000 } };

test.each<[string, CreateKeyOptions, boolean]>([
  ['a key that is made for URLs', { isForUrls: true, accountIds: [1] }, false],
  ['another key with the same limits', { scopes: ['report'], accountIds: [1], days: 90 }, true],
])('%s in the query of a report gets a warning: %s %s', async (_, options, isWarned) => {
  const { key } = await createKey(service.table, 'ana', options);
  const query = `${PERIOD}&metrics=clicks&format=csv`;
  const { status, headers } = await get(`${query}&subscription-key=${key}`, [], '');
  expect(status).toBe(200);
  expect(String(headers['Endcap-Parameter-Warnings']).includes('"KEY_IN_URL"')).toBe(isWarned);
  expect((await get(query, [], key)).headers['Endcap-Parameter-Warnings']).toBeUndefined();
});

describe('a report as a URL', () => {
  test.each<[string, object]>([
    ['by=daily_date&metrics=clicks', {}],
    [
      'by=daily_date,keyword&metrics=clicks,cost&sort=-cost',
      {
        dimensions: ['daily_date', 'keyword'],
        metrics: ['clicks', 'cost'],
        sort: [{ field: 'cost', order: 'DESC' }],
      },
    ],
    [
      'by=keyword&metrics=cost&filter=cost%3E1&filter=keyword!=cedar,"a, b"',
      {
        dimensions: ['keyword'],
        metrics: ['cost'],
        filters: [
          { field: 'cost', operator: 'GREATER_THAN', values: ['1'] },
          { field: 'keyword', operator: 'NOT_IN', values: ['cedar', 'a, b'] },
        ],
      },
    ],
    ['by=ad_group_id&advertisers=11,12', { dimensions: ['ad_group_id'], metrics: [], advertiserIds: [11, 12] }],
    ['metrics=clicks&compare=previousPeriod', { dimensions: [], compare: 'previousPeriod' }],
    [
      'metrics=clicks&compare=2026-01-01..2026-01-02',
      {
        dimensions: [],
        compare: { startDate: '2026-01-01', endDate: '2026-01-02' },
      },
    ],
    ['by=keyword&metrics=clicks&offset=1&size=1', { dimensions: ['keyword'], pagination: { offset: 1, size: 1 } }],
  ])('has the rows, totals and warnings of the POST: %s', async (query, body) => {
    const [url, posted] = await Promise.all([get(`${PERIOD}&${query}`), post({ ...WHOLE, ...body })]);
    expect(url.status).toBe(200);
    expect(url.text).toBe(posted.text);
    expect(url.headers).toMatchObject({
      'Cache-Control': 'private, max-age=60',
      Vary: 'Accept, Ocp-Apim-Subscription-Key',
    });
    expect(posted.headers['Cache-Control']).toBe('no-store');
  });

  test.each([
    ['csv', 'text/csv'],
    ['arrow', 'application/vnd.apache.arrow.stream'],
    ['json', 'application/json'],
  ])('names its format: %s, whatever Accept says', async (format, type) => {
    const query = `${PERIOD}&by=keyword&metrics=cost&sort=-cost&format=${format}`;
    const url = await get(query, [['Accept', 'text/html,*/*;q=0.8']]);
    const pagination = { offset: 0, size: format === 'json' ? 10_000 : 100_000 };
    const change = { dimensions: ['keyword'], metrics: ['cost'], sort: [{ field: 'cost', order: 'DESC' }], pagination };
    const posted = await post(change, [['Accept', type]]);
    expect(url.headers['Content-Type']).toBe(posted.headers['Content-Type']);
    if (format === 'csv') expect(url.text).toBe('keyword,cost\r\n"oats",1.25\r\n"granola",0.9\r\n');
    if (format !== 'json') expect(url.bytes).toEqual(posted.bytes);
  });

  test('may have a plus sign in a date that is not encoded, which arrives as a space', async () => {
    const { status, body } = await get('start=today&end=today+1d&metrics=clicks');
    expect([status, Object(body).meta?.page]).toEqual([200, { offset: 0, size: 10_000, hasMore: false }]);
  });

  test.each([
    ['by=keywrd&metrics=clicks', ['by NOT_ALLOWED']],
    ['metrics=clicks&sort=cost', ['sort NOT_REQUESTED']],
    ['metrics=clicks&sort=--cost', ['sort WRONG_FORMAT']],
    ['metrics=clicks&filter=cost', ['filter WRONG_FORMAT']],
    ['metrics=clicks&filter=cost>x', ['filter WRONG_FORMAT']],
    ['metrics=clicks&compare=lastPeriod', ['compare WRONG_FORMAT']],
    ['metrics=clicks&compare=2026-02-02..2026-02-01', ['compare END_BEFORE_START']],
    ['metrics=clicks&advertisers=', ['advertisers WRONG_TYPE']],
    ['metrics=', ['metrics NOT_ALLOWED']],
    ['', ['metrics NOTHING_REQUESTED']],
    ['metrics=clicks&size=0&offset=x', ['offset WRONG_TYPE', 'size OUT_OF_RANGE']],
    ['metrics=clicks&size=10001', ['size OUT_OF_RANGE']],
    ['metrics=clicks&format=xml', ['format NOT_ALLOWED']],
    ['metrics=clicks&advertisers=11,31', ['advertisers NOT_YOURS']],
    ['metrics=clicks&end=2026-01-01', ['end END_BEFORE_START']],
    ['metrics=clicks&start=today&end=today-1d', ['end END_BEFORE_START']],
  ])('has the problems of the POST, with the names of the parameters: %s', async (query, expected) => {
    const { status, body, headers } = await get(`${PERIOD}&${query}`);
    expect(status).toBeGreaterThanOrEqual(400);
    const { errors } = Object(body);
    expect(errors.map((error: Record<string, string>) => `${error.pointer} ${error.code}`)).toEqual(expected);
    for (const error of errors) expect(error.in).toBe('query');
    expect(headers['Cache-Control']).toBe('no-store');
  });

  test('lacks its period', async () => {
    const { body } = await get('metrics=clicks');
    expect(Object(body).errors).toMatchObject([
      { in: 'query', pointer: 'start', code: 'REQUIRED' },
      { in: 'query', pointer: 'end', code: 'REQUIRED' },
    ]);
  });

  test('as a spreadsheet, writes a keyword that a shopper typed as a text, not as a formula, also in comments', async () => {
    const keyword = '=HYPERLINK("https://x.example";"oats")';
    const row = { daily_date: '2026-02-04', hour: 9, ad_group_id: 701, impressions: 1, clicks: 0, cost: '0' };
    await service.load({ 'facts/pla/delivery': [keyword, 'oats,=1+1'].map((text) => ({ ...row, keyword: text })) });
    const query = 'start=2026-02-04&end=2026-02-04&by=keyword&metrics=impressions';
    const { text } = await get(`${query}&format=spreadsheet`);
    expect(text).toBe(
      `\ufeffkeyword,impressions\r\n"'=HYPERLINK(""https://x.example"";""oats"")",1\r\n"oats,=1+1",1\r\n`,
    );
    const commented = await get(`${query}&format=spreadsheet&comments=on&filter=keyword=chips`);
    expect(commented.text).toMatch(
      /^\ufeff# .*\r\n# .*\r\n# Warning NO_ROWS: .*oats,'=1\+1.*\r\nkeyword,impressions\r\n$/,
    );
  });

  test('rejects other methods, and a preflight names both', async () => {
    const { status, headers } = await instance.send('submit-report', { method: 'PUT' });
    expect([status, headers.Allow]).toEqual([405, 'GET, POST']);
  });

  test('without a size has all rows, or is a problem with the ways out', async () => {
    const row = { daily_date: '2026-02-03', hour: 9, ad_group_id: 701, impressions: 1, clicks: 0, cost: '0' };
    const rows = Array.from({ length: 10_001 }, (_, index) => ({ ...row, keyword: `k${index}` }));
    await service.load({ 'facts/pla/delivery': rows });
    const query = 'start=2026-02-03&end=2026-02-03&by=keyword&metrics=impressions';
    const { status, body } = await get(query);
    const detail =
      'The report has 10001 rows; without size, a response has at most 10000, and more with format=csv. Filter it, group by less, or read it in pages, with size and offset.';
    const errors = [{ in: 'query', pointer: 'size', code: 'PAGE_TOO_LARGE', detail }];
    expect([status, body]).toEqual([422, expect.objectContaining({ code: 'PAGE_TOO_LARGE', detail, errors })]);
    expect((await get(`${query}&format=csv`)).text.split('\r\n')).toHaveLength(1 + 10_001 + 1);
    expect(Object((await get(`${query}&size=10000`)).body).meta.page).toMatchObject({ hasMore: true });
    expect(Object((await get(`${query}&offset=1`)).body).data).toHaveLength(10_000);
  });
});
