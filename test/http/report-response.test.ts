import { describe, expect, test } from 'vitest';
import { MAX_RESPONSE_BYTES, reportResponse } from '../../shared/http/report-response.ts';
import { ApiError } from '../../shared/lib/errors.ts';

const rows = (count: number, size: number) => Array.from({ length: count }, () => ({ text: 'x'.repeat(size) }));
const reportOf = (data: readonly object[]) => ({ headers: [], data, totalCount: data.length });

/** The size as Lambda counts it: that of the body as a JSON string. */
const bytesInResponse = (body: unknown) => Buffer.byteLength(JSON.stringify(body)) - 2;

/** @returns the field problems, and the size that the error suggests */
function rejectionOf(data: readonly object[]): { size: number; fields: ApiError['fields'] } {
  try {
    reportResponse(reportOf(data));
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    expect(error.code).toBe('PAGE_TOO_LARGE');
    return { size: Number(/size of (\d+) or less/.exec(error.message)?.[1]), fields: error.fields };
  }
  throw new Error('the page was not rejected');
}

describe('a report response', () => {
  test('is JSON if the page fits', () => {
    const report = reportOf(rows(3, 1));
    expect(JSON.parse(String(reportResponse(report).body))).toEqual(report);
  });

  test.each([
    ['plain text', rows(10_000, 1_000)],
    ['quotation marks, which take two bytes each', Array.from({ length: 10_000 }, () => ({ text: '"'.repeat(500) }))],
    ['characters of several bytes', Array.from({ length: 10_000 }, () => ({ text: '€'.repeat(300) }))],
  ])('that is too large is rejected with the largest size that fits: %s', (_, data) => {
    const { size, fields } = rejectionOf(data);
    expect(bytesInResponse(reportResponse(reportOf(data.slice(0, size))).body)).toBeLessThanOrEqual(MAX_RESPONSE_BYTES);
    expect(rejectionOf(data.slice(0, size + 1)).size).toBe(size);
    expect(fields).toEqual([
      { in: 'body', pointer: '/pagination/size', code: 'PAGE_TOO_LARGE', detail: `Must be ${size} or less here.` },
    ]);
  });

  test('with a single row that is too large is rejected with size 1', () => {
    expect(rejectionOf([{ text: 'x'.repeat(6_000_000) }]).size).toBe(1);
  });
});
