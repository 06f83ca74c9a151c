import { createHash } from 'node:crypto';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { MAX_RESPONSE_BYTES } from '../../shared/http/format/response-size.ts';
import { JSON_REPRESENTATION } from '../../shared/http/message/negotiate.ts';
import { reportResponse } from '../../shared/http/write-report.ts';
import { NO_DEADLINE } from '../../shared/lib/deadline.ts';
import { ApiError } from '../../shared/lib/errors.ts';

const rows = (count: number, size: number) => Array.from({ length: count }, () => ({ text: 'x'.repeat(size) }));
const META = {
  page: { offset: 0, size: 10_000, hasMore: false },
  timezone: 'America/New_York',
  currency: 'USD',
  dataCompleteThrough: null,
  dataVersion: '1',
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
  ])(
    'that is too large for a client without compression is rejected with the largest size that fits: %s',
    async (_, data) => {
      const { size, error } = await rejectionOf('identity', data);
      const { body } = await respondTo('identity', data.slice(0, size));
      expect(bytesInResponse(body)).toBeLessThanOrEqual(MAX_RESPONSE_BYTES);
      expect((await rejectionOf('identity', data.slice(0, size + 1))).size).toBe(size);
      expect(error.headers).toEqual({ Vary: 'Accept, Accept-Encoding' });
      expect(error.fields).toEqual([
        { in: 'body', pointer: '/pagination/size', code: 'PAGE_TOO_LARGE', detail: `Must be ${size} or less here.` },
      ]);
    },
  );

  test('that is rejected because the client accepts no compression says which headers help', async () => {
    const data = rows(10_000, 1_000);
    const { size, error } = await rejectionOf('deflate', data);
    const bytes = bytesInResponse(JSON.stringify(reportOf(data)));
    expect(error.message).toBe(
      `This page would have ${bytes} bytes; the maximum is 5500000. To get it compressed, send the headers Accept: application/json and Accept-Encoding: gzip. Otherwise, from this offset on, request a size of ${size} or less.`,
    );
  });

  test.each(['gzip', 'br'])(
    'that is too large even in %s is rejected with the largest size that fits in that coding',
    async (coding) => {
      const { size, error } = await rejectionOf(coding, DENSE_ROWS);
      expect(error.message).toMatch(/^This page would have \d+ bytes, compressed; the maximum is 5500000\. From this/);
      expect(bytesInResponse(JSON.stringify(reportOf(DENSE_ROWS.slice(0, size))))).toBeGreaterThan(MAX_RESPONSE_BYTES);
      const { body } = await respondTo(coding, DENSE_ROWS.slice(0, size));
      expect(bytesInResponse(body)).toBeLessThanOrEqual(MAX_RESPONSE_BYTES);
      await rejectionOf(coding, DENSE_ROWS.slice(0, size + 1));
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

  describe('of more than 10,000 rows', () => {
    const respond = (data: readonly { text: string }[], coding: string) => {
      const report = { ...reportOf(data), headers: [TEXT] };
      const representation = { format: 'csv', bom: false, formulas: 'unchanged' } as const;
      return reportResponse(report, { ...accepting(coding), representation });
    };

    /** Such a page took until the deadline, because it was written, compressed, and searched row by row for what fits. */
    test.each(['gzip', 'br', 'identity'])(
      'that is far too large is rejected before it is written, with a size that fits: %s',
      async (coding) => {
        const data = Array.from({ length: 30_000 }, (_, row) => ({ text: denseText(row, 16) }));
        let written = 0;
        const counted = data.map((row) => ({
          get text() {
            written++;
            return row.text;
          },
        }));
        const error = await respond(counted, coding).catch((thrown: unknown) => thrown);
        if (!(error instanceof ApiError)) throw new Error('the page was not rejected');
        expect(error.message).toMatch(/^This page would have about \d+ bytes/);
        expect(written).toBeLessThan(2 * data.length); // each text is measured once, and few are written
        const size = Number(/size of (\d+) or less/.exec(error.message)?.[1]);
        const { body } = await respond(data.slice(0, size), coding);
        expect(bytesInResponse(body)).toBeLessThanOrEqual(MAX_RESPONSE_BYTES);
        expect(bytesInResponse(body)).toBeGreaterThan(0.97 * MAX_RESPONSE_BYTES);
      },
    );

    test('is sent if it fits, although its sample compresses much worse', async () => {
      const texts = Array.from({ length: 500 }, (_, row) => denseText(row, 64));
      const data = Array.from({ length: 12_000 }, (_, row) => ({ text: texts[row % texts.length] ?? '' }));
      const { body, headers } = await respond(data, 'br');
      expect(headers?.['Content-Encoding']).toBe('br');
      if (!(body instanceof Buffer)) throw new Error('the body is not compressed');
      expect(brotliDecompressSync(body).toString().split('\r\n')).toHaveLength(data.length + 2);
    });
  });

  /** Writing such a page in whole took 15 s. */
  test('of rows with many fields that is far too large is rejected before all rows are written, with a size that fits', async () => {
    const headers = Array.from({ length: 90 }, (_, i) => ({ ...TEXT, name: `field_${i}` }));
    const data = Array.from({ length: 8_000 }, (_, row) =>
      Object.fromEntries(headers.map(({ name }, i) => [name, `${row}/${i}`])),
    );
    const written: number[] = [];
    const counted = data.map((values, row) => ({
      toJSON: () => {
        written.push(row);
        return values;
      },
    }));
    const report = { ...reportOf([]), headers, data: counted as never }; // only read by JSON.stringify
    const rejection: unknown = await reportResponse(report, accepting('identity')).catch((error: unknown) => error);
    expect(rejection).toMatchObject({ code: 'PAGE_TOO_LARGE' });
    expect(written.length).toBeLessThan(8_000);
    const size = Number(/size of (\d+) or less/.exec(String(rejection))?.[1]);
    const bytes = (rows: number) => bytesInResponse(JSON.stringify({ ...report, data: data.slice(0, rows) }));
    expect(bytes(size)).toBeLessThanOrEqual(MAX_RESPONSE_BYTES);
    expect(bytes(size)).toBeGreaterThan(MAX_RESPONSE_BYTES * 0.98);
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

/** Writing and compressing the page eight times, to find the largest size, took 12 s and 1.9 GB. */
test('the search for a size writes less than three times the text of the page, and finds a size that fits', async () => {
  const repeated = '\u4e00'.repeat(9_000);
  let written = 0;
  // 36 million characters, and 9 million of dense text: a page may have 50 million
  const data = Array.from({ length: 5_000 }, (_, row) => {
    const text = row < 4_000 ? repeated : denseText(row, 140);
    const toJSON = () => {
      written += text.length;
      return { text };
    };
    return { text, toJSON: toJSON as never }; // only called by JSON.stringify
  });
  const respond = (count: number) =>
    reportResponse({ ...reportOf(data.slice(0, count)), headers: [TEXT] }, accepting('gzip'));
  const rejection: unknown = await respond(data.length).catch((error: unknown) => error);
  expect(rejection).toMatchObject({ code: 'PAGE_TOO_LARGE' });
  expect(written).toBeLessThan(3 * data.reduce((sum, { text }) => sum + text.length, 0));
  const size = Number(/size of (\d+) or less/.exec(String(rejection))?.[1]);
  expect(size).toBeGreaterThan(1);
  expect((await respond(size)).headers).toMatchObject({ 'Content-Encoding': 'gzip' });
});
