import { describe, expect, test } from 'vitest';
import { MAX_RESPONSE_BYTES, reportResponse } from '../../shared/http/report-response.ts';
import { ApiError } from '../../shared/lib/errors.ts';

const rows = (count: number, size: number) => Array.from({ length: count }, () => ({ text: 'x'.repeat(size) }));
const reportOf = (data: readonly object[]) => ({ headers: [], data, totalCount: data.length });

/** As Lambda counts: the body inside a JSON text. */
const bytesInResponse = (body: unknown) => Buffer.byteLength(JSON.stringify(body)) - 2;

/** @returns the problem's pointer, code and the size it names. */
function refusalOf(data: readonly object[]): { size: number; fields: ApiError['fields'] } {
  try {
    reportResponse(reportOf(data));
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    expect(error.code).toBe('PAGE_TOO_LARGE');
    return { size: Number(/size of (\d+) or less/.exec(error.message)?.[1]), fields: error.fields };
  }
  throw new Error('the page was answered');
}

describe('the size of a report answer', () => {
  test('a page that fits is answered as JSON', () => {
    const report = reportOf(rows(3, 1));
    expect(JSON.parse(String(reportResponse(report).body))).toEqual(report);
  });

  test.each([
    ['plain text', rows(10_000, 1_000)],
    ['quotation marks, which take two bytes each', Array.from({ length: 10_000 }, () => ({ text: '"'.repeat(500) }))],
    ['characters of several bytes', Array.from({ length: 10_000 }, () => ({ text: '€'.repeat(300) }))],
  ])('one that does not names the largest size that does: %s', (_, data) => {
    const { size, fields } = refusalOf(data);
    expect(bytesInResponse(reportResponse(reportOf(data.slice(0, size))).body)).toBeLessThanOrEqual(MAX_RESPONSE_BYTES);
    expect(refusalOf(data.slice(0, size + 1)).size).toBe(size);
    expect(fields).toEqual([
      { in: 'body', pointer: '/pagination/size', code: 'PAGE_TOO_LARGE', detail: `Must be ${size} or less here.` },
    ]);
  });

  test('a single row that is too large still names size 1', () => {
    expect(refusalOf([{ text: 'x'.repeat(6_000_000) }]).size).toBe(1);
  });
});
