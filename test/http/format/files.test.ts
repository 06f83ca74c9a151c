import { tableFromIPC } from '@uwdata/flechette';
import { afterAll, describe, expect, test } from 'vitest';
import { reportRequest } from '../support/gateway-event.ts';
import { type FunctionName, openTestService } from '../support/test-service.ts';

const service = await openTestService();
const instance = await service.start();
afterAll(() => service.close());

const REPORT = {
  startDate: '2026-02-01',
  endDate: '2026-02-28',
  advertiserIds: [],
  filters: [],
  metrics: ['impressions', 'clicks', 'cost', 'cost_per_click'],
  dimensions: ['daily_date', 'ad_group_name'],
  sort: [],
  pagination: { offset: 0, size: 2 },
};

/** @returns the response to the report, or to a report with other members, in the format that Accept names; undefined = no Accept */
function submit(accept: string | undefined, more: object = {}) {
  const headers = [
    ['Content-Type', 'application/json'] as const,
    ...(accept === undefined ? [] : [['Accept', accept] as const]),
  ];
  return instance.send('submit-report', reportRequest(JSON.stringify({ ...REPORT, ...more }), { headers }));
}

function list(name: FunctionName, accept: string, query: Readonly<Record<string, string>> = {}) {
  return instance.send(name, { key: 'key-ana', query: Object.entries(query), headers: [['Accept', accept]] });
}

const DESCRIBED = {
  'Cache-Control': 'no-store',
  Vary: 'Accept',
  'X-Total-Count': '3',
  'Endcap-Next-Offset': '2',
  'Endcap-Totals': '{"impressions":200,"clicks":11,"cost":2.15,"cost_per_click":0.19545454545454546}',
  'Endcap-Period': '{"startDate":"2026-02-01","endDate":"2026-02-28"}',
  'Endcap-Data-Complete-Through': '2026-02-02',
  'Endcap-Data-Version': expect.stringMatching(/^[0-9a-f]{16}$/),
  'Endcap-Time-Zone': 'America/New_York',
  'Endcap-Currency': 'USD',
  'Endcap-Attribution': '{"windowDays":14,"basis":"conversion day"}',
  'Endcap-Warnings': '[]',
};

describe('a report', () => {
  test.each(['text/csv', 'application/vnd.apache.arrow.stream'])(
    'without rows has the same warnings as %s as in JSON: the filter that no row can pass is named',
    async (accept) => {
      const filters = [{ field: 'ad_group_name', operator: 'EQUALS', values: ['few'] }];
      const { warnings } = JSON.parse((await submit('application/json', { filters })).text).meta;
      expect(warnings).toMatchObject(['NO_ROWS', 'VALUE_NOT_FOUND'].map((code) => ({ code, field: 'ad_group_name' })));
      const { headers } = await submit(accept, { filters });
      expect(headers['X-Total-Count']).toBe('0');
      expect(JSON.parse(headers['Endcap-Warnings'] ?? '')).toEqual(warnings);
    },
  );

  test('for Accept: text/csv is CSV, with totals and meta in headers', async () => {
    const { status, headers, text } = await submit('text/csv');
    expect(status).toBe(200);
    expect(headers).toMatchObject({ ...DESCRIBED, 'Content-Type': 'text/csv; charset=utf-8; header=present' });
    expect(text).toBe(
      [
        'daily_date,ad_group_name,impressions,clicks,cost,cost_per_click',
        '2026-02-01,"All",100,5,1.25,0.25',
        '2026-02-01,"Few",60,6,0.9,0.15',
        '',
      ].join('\r\n'),
    );
  });

  test('for Accept: application/vnd.apache.arrow.stream is an Arrow stream, with totals and meta in headers', async () => {
    const { status, headers, bytes } = await submit('application/vnd.apache.arrow.stream');
    expect(status).toBe(200);
    expect(headers).toMatchObject({ ...DESCRIBED, 'Content-Type': 'application/vnd.apache.arrow.stream' });
    const json = Object((await submit('application/json')).body);
    expect(tableFromIPC(bytes, { useDate: true }).toArray()).toEqual(
      json.data.map((row: { daily_date: string }) => ({ ...row, daily_date: new Date(row.daily_date) })),
    );
  });

  test.each([undefined, '*/*'])('for Accept: %s is JSON, with its page in meta', async (accept) => {
    const { headers, body } = await submit(accept);
    expect(headers).toMatchObject({ 'Content-Type': 'application/json', Vary: 'Accept' });
    expect(Object.keys(headers).filter((name) => name.startsWith('Endcap-'))).toEqual([]);
    expect(body).toMatchObject({ totalCount: 3, meta: { page: { offset: 0, size: 2, hasMore: true } } });
    const last = await submit(accept, { pagination: { offset: 2, size: 2 } });
    expect(last.body).toMatchObject({ meta: { page: { offset: 2, size: 2, hasMore: false } } });
  });

  test('may have a larger page as CSV or Arrow than as JSON, up to 100,000 rows', async () => {
    const pagination = { offset: 0, size: 100_000 };
    expect((await submit('text/csv', { pagination })).status).toBe(200);
    expect((await submit('application/vnd.apache.arrow.stream', { pagination })).status).toBe(200);
    const json = await submit('application/json', { pagination });
    expect(json.body).toMatchObject({ errors: [{ detail: 'Must be an integer from 1 to 10000.' }] });
    const csv = await submit('text/csv', { pagination: { offset: 0, size: 100_001 } });
    expect(csv.body).toMatchObject({ errors: [{ detail: 'Must be an integer from 1 to 100000.' }] });
  });

  test('has no next offset on the last page', async () => {
    const { headers, text } = await submit('text/csv', { pagination: { offset: 2, size: 2 } });
    expect(headers).toMatchObject({ 'X-Total-Count': '3' });
    expect(headers['Endcap-Next-Offset']).toBeUndefined();
    expect(text.split('\r\n')).toEqual([expect.stringMatching(/^daily_date,/), '2026-02-02,"All",40,0,0.0,', '']);
  });

  test('that is rejected is problem+json, also for a client that accepts CSV only', async () => {
    const { status, headers, body } = await submit('text/csv', { metrics: ['nothing'] });
    expect(status).toBe(422);
    expect(headers['Content-Type']).toBe('application/problem+json');
    expect(body).toMatchObject({ code: 'INVALID_REQUEST' });
  });

  test('in a format that does not exist is 406, and names those that do', async () => {
    const { status, headers, body } = await submit('application/xml, text/csv;header=absent');
    expect(status).toBe(406);
    expect(headers).toMatchObject({ 'Content-Type': 'application/problem+json' });
    expect(body).toMatchObject({
      code: 'NOT_ACCEPTABLE',
      detail:
        'Accept must allow application/json, text/csv (with ;header=bom and ;formulas=escaped if wanted) or application/vnd.apache.arrow.stream.',
      errors: [{ in: 'header', pointer: 'Accept', code: 'NOT_ALLOWED' }],
    });
  });
});

describe('a listing', () => {
  test('for Accept: text/csv has a column for each member of its items, also for those that no item has', async () => {
    const { status, headers, text } = await list('list-placements', 'text/csv');
    expect(status).toBe(200);
    expect(headers).toMatchObject({ 'Content-Type': 'text/csv; charset=utf-8; header=present', 'X-Total-Count': '2' });
    expect(text).toBe(
      [
        'id,name,description,experiences,active,priceFloor',
        '21,"Search top","First row","pla, toa",true,0.35',
        '22,"Home",,"carousel",false,',
        '',
      ].join('\r\n'),
    );
  });

  test('as CSV has dates without quotation marks, and decimals with a point', async () => {
    const { text } = await list('list-campaigns', 'text/csv', { account_id: '1' });
    expect(text).toContain('61,');
    expect(text).toMatch(/,2026-01-01,/);
    const products = await instance.send('list-available-products', {
      key: 'key-ana',
      pathParameters: { ad_group_id: '702' },
      headers: [['Accept', 'text/csv']],
    });
    expect(products.text.split('\r\n')[1]).toBe('8001,"0000000000001","Granola 1","Oat Hill",,,3.49,0.25,1.5,,true');
  });

  test('as CSV has a link to the next page, and its offset', async () => {
    const { headers } = await list('list-contacts', 'text/csv', { account_id: '1', size: '2' });
    expect(headers).toMatchObject({
      Link: '</v2/metadata/contacts?account_id=1&offset=2&size=2>; rel="next"',
      'X-Total-Count': '3',
      'Endcap-Next-Offset': '2',
    });
  });

  /** A sheet, a data frame and a browser send no Accept of their own. */
  test.each([
    ['csv', 'text/csv'],
    ['spreadsheet', 'text/csv;header=bom;formulas=escaped'],
    ['json', 'application/json'],
  ])('for format=%s in the URL is as for Accept: %s, and so is its next page', async (format, accept) => {
    const page = { account_id: '1', size: '2' };
    const [named, accepted] = [
      await list('list-contacts', '*/*', { ...page, format }),
      await list('list-contacts', accept, page),
    ];
    expect(named.text).toBe(accepted.text);
    expect(named.headers['Content-Type']).toBe(accepted.headers['Content-Type']);
    expect(named.headers.Link).toContain(`format=${format}`);
    expect(named.headers).not.toHaveProperty('Endcap-Parameter-Warnings');
    const products = { key: 'key-ana', pathParameters: { ad_group_id: '702' } };
    const sent = [
      { ...products, query: [['format', format] as const] },
      { ...products, headers: [['Accept', accept] as const] },
    ];
    const [first, second] = await Promise.all(sent.map((request) => instance.send('list-available-products', request)));
    expect(first?.text).toBe(second?.text);
  });

  test.each(['arrow', 'CSV', ''])('for format=%s is the problem that names the formats', async (format) => {
    const { status, body } = await list('list-accounts', '*/*', { format });
    const detail = 'Must be one of json, csv, spreadsheet.';
    expect(status).toBe(422);
    expect(body).toMatchObject({ errors: [{ in: 'query', pointer: 'format', code: 'NOT_ALLOWED', detail }] });
  });

  test('is not available as Arrow: the response is 406', async () => {
    const { status, body } = await list('list-accounts', 'application/vnd.apache.arrow.stream');
    expect(status).toBe(406);
    expect(body).toMatchObject({
      detail: 'Accept must allow application/json or text/csv (with ;header=bom and ;formulas=escaped if wanted).',
    });
  });
});

test.each(['get-jwt', 'get-jwt-claims'] as const)('the response of %s is JSON whatever Accept says', async (name) => {
  const { status, headers } = await list(name, 'text/csv');
  expect(status).toBe(200);
  expect(headers['Content-Type']).toBe('application/json');
});
