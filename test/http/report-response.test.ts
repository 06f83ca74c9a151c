import { createHash } from 'node:crypto';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { MAX_RESPONSE_BYTES } from '../../shared/http/format/content-coding.ts';
import { JSON_REPRESENTATION } from '../../shared/http/message/negotiate.ts';
import { reportResponse } from '../../shared/http/write-report.ts';
import { NO_DEADLINE } from '../../shared/lib/deadline.ts';
import { ApiError } from '../../shared/lib/errors.ts';

const rows = (count: number, size: number) => Array.from({ length: count }, () => ({ text: 'x'.repeat(size) }));
const META = {
  page: { offset: 0, size: 10_000, hasMore: false },
  period: { startDate: '2026-02-01', endDate: '2026-02-28' },
  timezone: 'America/New_York',
  currency: 'USD',
  data: { from: null, through: null, missingDays: [], missingDayCount: 0, gaps: [], gapDayCount: 0, tables: [] },
  dataCompleteThrough: null,
  dataFinalThrough: null,
  dataVersion: '1',
  dataUpdatedAt: null,
  attribution: { windowDays: 14, basis: 'conversion day' },
  requestId: 'r-1',
  warnings: [],
};
const reportOf = (data: readonly { text: string }[]) => ({
  headers: [],
  data,
  totalCount: data.length,
  totals: {},
  meta: META,
});

const TEXT = { name: 'text', title: 'Text', role: 'dimension', type: 'text', unit: null, description: '' } as const;

/** @returns a text of hexadecimal digits, 64 for each part, which compresses to about half */
const denseText = (row: number, parts: number) =>
  Array.from({ length: parts }, (_, part) => createHash('sha256').update(`${row}/${part}`).digest('hex')).join('');

const DENSE_ROWS = Array.from({ length: 400 }, (_, row) => ({ text: denseText(row, 500) }));

/** @returns what decides how a report is written, for a request with this Accept-Encoding */
const accepting = (coding: string) => ({
  representation: JSON_REPRESENTATION,
  headerOf: (name: string) => ({ accept: ['*/*'], 'accept-encoding': [coding] })[name] ?? [],
  deadline: NO_DEADLINE,
});

const respondTo = (coding: string, data: readonly { text: string }[]) =>
  reportResponse(reportOf(data), accepting(coding));

/** The size as Lambda counts it: that of the body as a JSON string. */
const bytesInResponse = (body: unknown) =>
  Buffer.byteLength(JSON.stringify(body instanceof Buffer ? body.toString('base64') : body)) - 2;

/** @returns the error, and the size that it suggests */
async function rejectionOf(
  coding: string,
  data: readonly { text: string }[],
): Promise<{ size: number; error: ApiError }> {
  const error: unknown = await respondTo(coding, data).catch((thrown: unknown) => thrown);
  if (!(error instanceof ApiError)) throw new Error('the page was not rejected');
  expect(error.code).toBe('PAGE_TOO_LARGE');
  return { size: Number(/size of (\d+) or less/.exec(error.message)?.[1]), error };
}

describe('a report response', () => {
  test.each(['gzip', 'identity'])('is JSON if the page fits, also for a client that accepts %s', async (coding) => {
    const { body, headers } = await respondTo(coding, rows(3, 1));
    expect(headers).toEqual({});
    expect(JSON.parse(String(body))).toEqual(reportOf(rows(3, 1)));
  });

  test('is JSON as long as that has 5,500,000 bytes in the response, and compressed with one more', async () => {
    const envelope = bytesInResponse(JSON.stringify(reportOf([{ text: '' }])));
    const { body } = await respondTo('gzip', rows(1, MAX_RESPONSE_BYTES - envelope));
    expect(bytesInResponse(body)).toBe(MAX_RESPONSE_BYTES);
    expect((await respondTo('gzip', rows(1, MAX_RESPONSE_BYTES - envelope + 1))).body).toBeInstanceOf(Buffer);
  });

  test.each([
    ['gzip', gunzipSync],
    ['br', brotliDecompressSync],
  ])('that is too large is compressed for a client that accepts %s', async (coding, decode) => {
    const data = rows(10_000, 1_000);
    const { body, headers } = await respondTo(coding, data);
    expect(headers).toEqual({ 'Content-Encoding': coding, Vary: 'Accept, Accept-Encoding' });
    if (!(body instanceof Buffer)) throw new Error('the body is not compressed');
    expect(decode(body).toString()).toBe(JSON.stringify(reportOf(data)));
  });

  test.each([
    ['plain text', rows(10_000, 1_000)],
    ['quotation marks, which take two bytes each', Array.from({ length: 10_000 }, () => ({ text: '"'.repeat(500) }))],
    ['characters of several bytes', Array.from({ length: 10_000 }, () => ({ text: '€'.repeat(300) }))],
    ['rows of different sizes', Array.from({ length: 10_000 }, (_, row) => ({ text: 'x'.repeat(row % 1_999) }))],
  ])('that is too large for a client without compression is rejected with a size that fits: %s', async (_, data) => {
    const { size, error } = await rejectionOf('identity', data);
    const { body } = await respondTo('identity', data.slice(0, size));
    expect(bytesInResponse(body)).toBeLessThanOrEqual(MAX_RESPONSE_BYTES);
    expect(bytesInResponse(body)).toBeGreaterThan(0.75 * MAX_RESPONSE_BYTES);
    expect(error.headers).toEqual({ Vary: 'Accept, Accept-Encoding' });
    expect(error.fields).toEqual([
      { in: 'body', pointer: '/pagination/size', code: 'PAGE_TOO_LARGE', detail: `Must be ${size} or less here.` },
    ]);
  });

  test('that is rejected because the client accepts no compression says which headers help', async () => {
    const data = rows(10_000, 1_000);
    const { size, error } = await rejectionOf('deflate', data);
    const bytes = bytesInResponse(JSON.stringify(reportOf(data)));
    expect(error.message).toBe(
      `This page would have ${bytes} bytes; the maximum is 5500000. To get it compressed, send the headers Accept: application/json and Accept-Encoding: gzip. Otherwise, from this offset on, request a size of ${size} or less.`,
    );
  });

  test.each(['gzip', 'br'])(
    'that is too large even in %s is rejected with a size that fits in that coding',
    async (coding) => {
      const { size, error } = await rejectionOf(coding, DENSE_ROWS);
      expect(error.message).toMatch(/^This page would have \d+ bytes, compressed; the maximum is 5500000\. From this/);
      expect(bytesInResponse(JSON.stringify(reportOf(DENSE_ROWS.slice(0, size))))).toBeGreaterThan(MAX_RESPONSE_BYTES);
      const { body } = await respondTo(coding, DENSE_ROWS.slice(0, size));
      expect(bytesInResponse(body)).toBeLessThanOrEqual(MAX_RESPONSE_BYTES);
      expect(bytesInResponse(body)).toBeGreaterThan(0.75 * MAX_RESPONSE_BYTES);
    },
  );

  test('as CSV is compressed if its control characters, which take six bytes each, are too many', async () => {
    const report = { ...reportOf([{ text: '\u0001'.repeat(1_000_000) }]), headers: [TEXT] };
    const representation = { format: 'csv', bom: false, formulas: 'unchanged' } as const;
    const { body } = await reportResponse(report, { ...accepting('gzip'), representation });
    expect(body).toBeInstanceOf(Buffer);
    await expect(reportResponse(report, { ...accepting('identity'), representation })).rejects.toThrow(/^This page/);
  });

  test('with a single row that is too large is rejected with size 1', async () => {
    expect((await rejectionOf('identity', [{ text: 'x'.repeat(6_000_000) }])).size).toBe(1);
  });
});

/** Ten thousand rows with eight texts of 1,000 quotation marks each ended the function; with more, JSON.stringify failed with status 500. */
test('a page whose texts repeat is rejected before it is written if they are too long, with the size that fits', async () => {
  const long = '"'.repeat(1_000_000);
  const respond = (count: number) => {
    const data = Array.from({ length: count }, () => ({ text: long }));
    return reportResponse({ ...reportOf(data), headers: [TEXT] }, accepting('gzip'));
  };
  await expect(respond(51)).rejects.toThrow(
    'This page would have more than 50000000 characters of text. From this offset on, request a size of 50 or less.',
  );
  expect((await respond(50)).headers).toMatchObject({ 'Content-Encoding': 'gzip' });
});
