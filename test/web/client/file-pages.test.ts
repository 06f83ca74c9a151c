import { Type, tableFromIPC } from '@uwdata/flechette';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ReportResultResponse } from '../../../shared/contract/report/report-response.ts';
import { toArrow } from '../../../shared/http/format/arrow.ts';
import { createClient, type EndcapError } from '../../../shared/web/client/client.ts';
import { csvPart, readFilePages, readUnchanged } from '../../../shared/web/client/file-pages.ts';
import { joinArrow } from '../../../shared/web/explorer/export/join-arrow.ts';
import { startTestStage, type TestStage } from '../../support/stage.ts';

const KEY = 'ecap_demo_agency';
/** Every type of field, texts that occur on some pages only, and nulls. */
const QUERY = {
  startDate: '2026-02-23',
  endDate: '2026-03-01',
  metrics: ['impressions', 'cost', 'halo_roas', 'campaign_start_date'],
  dimensions: ['ad_group_name', 'keyword', 'daily_date', 'campaign_id'],
  sort: [{ field: 'keyword', order: 'ASC' }],
} as const;

let stage: TestStage;
let url: string;
beforeAll(async () => {
  stage = await startTestStage({ demo: true });
  url = await stage.url();
});
afterAll(() => stage.close());

const join = (parts: readonly Uint8Array[]) => Buffer.concat(parts).toString();
const readTable = (bytes: Uint8Array) => tableFromIPC(bytes, { useBigInt: true });

describe('a report of several pages', () => {
  test.each(['csv', 'spreadsheet'] as const)('is one %s file, equal to a single page of all rows', async (format) => {
    const client = createClient({ url, key: KEY });
    const whole = await client.reportFile('pla', QUERY, format, { size: 100_000 });
    const pages = await Array.fromAsync(readFilePages(client, 'pla', QUERY, format, { size: 300 }));
    expect(pages.length).toBeGreaterThan(3);
    expect(join(pages.map(csvPart))).toBe(Buffer.from(await whole.arrayBuffer()).toString());
    expect(pages.map(({ offset, end }) => [offset, end])).toEqual(
      pages.map(({ total }, page) => [page * 300, Math.min(total, (page + 1) * 300)]),
    );
  });

  test('is one Arrow stream with one dictionary per column of texts, equal to a single page of all rows', async () => {
    const client = createClient({ url, key: KEY });
    const response = await client.reportFile('pla', QUERY, 'arrow', { size: 100_000 });
    const whole = readTable(new Uint8Array(await response.arrayBuffer()));
    const pages = await Array.fromAsync(readFilePages(client, 'pla', QUERY, 'arrow', { size: 300 }));
    const joined = readTable(
      joinArrow(
        pages.map(({ bytes }) => bytes),
        pages[0]?.total ?? 0,
      ),
    );
    expect(joined.numRows).toBe(whole.numRows);
    expect(joined.toArray()).toEqual(whole.toArray());
    const fieldsOf = ({ schema }: typeof whole) =>
      schema.fields.map(({ name, nullable, type, metadata }) => [name, nullable, type.typeId, metadata]);
    expect(fieldsOf(joined)).toEqual(fieldsOf(whole));
    for (const column of joined.children.filter(({ type }) => type.typeId === Type.Dictionary)) {
      expect(new Set(column.data.map((batch) => Reflect.get(batch, 'dictionary'))).size).toBe(1);
    }
    const { totals, totalCount, meta } = Object.fromEntries(joined.schema.metadata ?? []);
    expect([totals, totalCount]).toEqual([whole.schema.metadata?.get('totals'), String(joined.numRows)]);
    expect(JSON.parse(meta ?? '')).toMatchObject({ page: { offset: 0, size: joined.numRows, hasMore: false } });
  });

  test('ends at the limit of rows', async () => {
    const pages = await Array.fromAsync(
      readFilePages(createClient({ url, key: KEY }), 'pla', QUERY, 'csv', { size: 300, limit: 500 }),
    );
    expect(pages.map(({ offset, end }) => [offset, end])).toEqual([
      [0, 300],
      [300, 500],
    ]);
    expect(join(pages.map(csvPart)).trimEnd().split('\r\n')).toHaveLength(501);
  });

  test('stops when its signal is aborted', async () => {
    const controller = new AbortController();
    const pages = readFilePages(createClient({ url, key: KEY }), 'pla', QUERY, 'csv', {
      size: 300,
      signal: controller.signal,
    });
    await pages.next();
    controller.abort(new Error('cancelled'));
    await expect(pages.next()).rejects.toThrow('cancelled');
  });
});

/** In place of a version: the page is rejected with PAGE_TOO_LARGE. */
const TOO_LARGE = Symbol('page too large');

/** @returns a client for a report of 4 rows, whose responses have these data versions, one after the other; each has one line, the version, whatever its size */
function clientOver(versions: readonly (string | typeof TOO_LARGE)[]) {
  const rest = [...versions];
  const requests: { offset: number; size: number }[] = [];
  const fetch = async (request: Request) => {
    const { pagination } = Object(await request.json());
    requests.push(pagination);
    const version = rest.shift();
    if (version === TOO_LARGE) {
      const problem = { code: 'PAGE_TOO_LARGE', detail: 'too large', errors: [] };
      return new Response(JSON.stringify(problem), { status: 422 });
    }
    const next = pagination.offset + pagination.size;
    const headers = {
      'X-Total-Count': '4',
      'Endcap-Data-Version': version ?? 'none',
      ...(next < 4 ? { 'Endcap-Next-Offset': String(next) } : {}),
    };
    return new Response(`n\r\n"${version}"\r\n`, { headers });
  };
  return { client: createClient({ url: 'http://localhost/v2', key: KEY, fetch }), requests };
}

const read = async (client: ReturnType<typeof createClient>) =>
  join((await Array.fromAsync(readFilePages(client, 'pla', QUERY, 'csv', { size: 2 }))).map(csvPart));

describe('pages of different data', () => {
  test('are never joined', async () => {
    const { client } = clientOver(['1', '2']);
    await expect(read(client)).rejects.toMatchObject({ code: 'DATA_CHANGED' } satisfies Partial<EndcapError>);
  });

  test('are read again from the first page on, with at most three attempts', async () => {
    const once = clientOver(['1', '2', '2', '2']);
    expect(await readUnchanged(() => read(once.client))).toBe('n\r\n"2"\r\n"2"\r\n');
    expect(once.requests.map(({ offset }) => offset)).toEqual([0, 2, 0, 2]);
    const always = clientOver(['1', '2', '3', '4', '5', '6', '7']);
    await expect(readUnchanged(() => read(always.client))).rejects.toMatchObject({ code: 'DATA_CHANGED' });
    expect(always.requests).toHaveLength(3 * 2); // attempts × pages
  });
});

test('a page has the warnings of the response, and the number of those that did not fit into its headers', async () => {
  const warnings = [{ code: 'UNDEFINED', field: 'win_rate' }];
  const respond = (headers: Record<string, string>) => async () => new Response('n\r\n', { headers });
  const pagesOf = (fetch: () => Promise<Response>) => {
    const client = createClient({ url: 'http://localhost/v2', key: KEY, fetch });
    return Array.fromAsync(readFilePages(client, 'pla', QUERY, 'csv'));
  };
  const listed = { 'Endcap-Warnings': JSON.stringify(warnings) };
  expect(await pagesOf(respond(listed))).toMatchObject([{ warnings, warningsOmitted: 0 }]);
  expect(await pagesOf(respond({ ...listed, 'Endcap-Warnings-Omitted': '3' }))).toMatchObject([
    { warnings, warningsOmitted: 3 },
  ]);
});

test('a page that is too large is read in smaller ones', async () => {
  const { client, requests } = clientOver([TOO_LARGE, '1', '1', '1', '1']);
  expect(await read(client)).toBe('n\r\n"1"\r\n"1"\r\n"1"\r\n"1"\r\n');
  expect(requests.map(({ offset, size }) => [offset, size])).toEqual([
    [0, 2],
    [0, 1],
    [1, 1],
    [2, 1],
    [3, 1],
  ]);
});

test('an integer column with numbers beyond 64 bits on one page is one of doubles in the whole file', () => {
  const header = {
    name: 'clicks',
    title: 'Clicks',
    role: 'metric',
    type: 'integer',
    unit: null,
    description: '',
  } as const;
  const report = (clicks: number): ReportResultResponse => ({
    headers: [header],
    data: [{ clicks }, { clicks: null }],
    totalCount: 4,
    totals: { clicks: 1 },
    meta: {
      page: { offset: 0, size: 2, hasMore: true },
      period: { startDate: '2026-02-01', endDate: '2026-02-28' },
      timezone: 'UTC',
      currency: 'USD',
      data: { from: null, through: null, missingDays: [], missingDayCount: 0, gaps: [], gapDayCount: 0, tables: [] },
      dataCompleteThrough: null,
      dataFinalThrough: null,
      dataVersion: '1',
      dataUpdatedAt: null,
      attribution: { windowDays: 14, basis: 'conversion day' },
      requestId: 'r',
      warnings: [],
    },
  });
  const joined = readTable(
    joinArrow([new Uint8Array(toArrow(report(7))), new Uint8Array(toArrow(report(2 ** 70)))], 4),
  );
  // an integer column would have the bigint 7n
  expect(joined.toArray()).toEqual([{ clicks: 7 }, { clicks: null }, { clicks: 2 ** 70 }, { clicks: null }]);
});
