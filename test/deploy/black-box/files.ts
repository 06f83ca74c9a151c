import { tableFromIPC } from '@uwdata/flechette';
import { expect } from 'vitest';
import { bodyOf, type Case, type Suite } from './suite.ts';

const ARROW = 'application/vnd.apache.arrow.stream';

const report = (accept: string, pagination: object) =>
  ({
    path: '/report/pla',
    method: 'POST',
    as: 'agency',
    headers: { Accept: accept },
    body: {
      startDate: 'latest-6d',
      endDate: 'latest',
      advertiserIds: [],
      dimensions: ['daily_date', 'campaign_name'],
      metrics: ['impressions', 'cost', 'halo_roas'],
      filters: [],
      sort: [],
      pagination,
    },
  }) as const;

const SMALL = { offset: 0, size: 5 };
const LARGE = { offset: 0, size: 100_000 };
const JSON_NAME = 'the first rows of a report as JSON';

const cases: Case[] = [
  { name: JSON_NAME, request: report('application/json', SMALL), status: 200 },
  {
    name: 'the same rows as CSV',
    request: report('text/csv', SMALL),
    status: 200,
    check: ({ headers, text }, earlier) => {
      const json = bodyOf(earlier(JSON_NAME));
      expect(headers['x-total-count']).toBe(String(json.totalCount));
      expect(JSON.parse(headers['endcap-totals'] ?? '')).toEqual(json.totals);
      const [first, ...rows] = text.trimEnd().split('\r\n');
      expect(first).toBe('daily_date,campaign_name,impressions,cost,halo_roas');
      expect(rows.map((row) => row.split(',').at(-3))).toEqual(
        Object(json.data).map((row: { impressions: number }) => String(row.impressions)),
      );
    },
  },
  {
    name: 'the same rows as an Arrow stream, whose bytes arrive as they are',
    request: report(ARROW, SMALL),
    status: 200,
    check: ({ headers, bytes }, earlier) => {
      expect(headers['content-type']).toBe(ARROW);
      const rows = tableFromIPC(bytes, { useDate: true }).toArray();
      expect(rows.map((row) => ({ ...row, daily_date: row.daily_date.toISOString().slice(0, 10) }))).toEqual(
        bodyOf(earlier(JSON_NAME)).data,
      );
    },
  },
  {
    name: 'an Arrow stream for a client that accepts compression, on one page that is larger than JSON may have',
    request: {
      ...report(ARROW, LARGE),
      headers: { Accept: `${ARROW}, */*;q=0.1`, 'Accept-Encoding': 'gzip' },
    },
    status: 200,
    check: ({ bytes }, earlier) => expect(tableFromIPC(bytes).numRows).toBe(bodyOf(earlier(JSON_NAME)).totalCount),
  },
  {
    name: 'a report in a format that does not exist',
    request: report('application/xml', SMALL),
    status: 406,
    code: 'NOT_ACCEPTABLE',
    check: ({ headers }) => expect(headers['content-type']).toBe('application/problem+json'),
  },
  {
    name: 'the placements as CSV for a spreadsheet',
    request: {
      path: '/metadata/placements',
      as: 'agency',
      headers: { Accept: 'text/csv;header=bom;formulas=escaped' },
    },
    status: 200,
    check: ({ headers, bytes }) => {
      expect(headers['content-type']).toBe('text/csv; charset=utf-8; header=present');
      expect(bytes.subarray(0, 3)).toEqual(Buffer.from([0xef, 0xbb, 0xbf]));
    },
  },
];

export const fileFormats: Suite = { name: 'CSV and Arrow', cases };
