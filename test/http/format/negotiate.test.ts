import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { acceptedCoding, encode } from '../../../shared/http/format/content-coding.ts';
import { negotiate, type ResponseFormat } from '../../../shared/http/message/negotiate.ts';
import { ApiError } from '../../../shared/lib/errors.ts';

const ALL: readonly ResponseFormat[] = ['json', 'csv', 'arrow'];
const ARROW = 'application/vnd.apache.arrow.stream';

/** @returns the format in short form: `csv`, `csv+bom`, `csv+escaped` … */
function chosen(accept: readonly string[], formats = ALL): string {
  const representation = negotiate(accept, formats);
  if (representation.format !== 'csv') return representation.format;
  const { bom, formulas } = representation;
  return `csv${bom ? '+bom' : ''}${formulas === 'escaped' ? '+escaped' : ''}`;
}

function rejection(accept: string): unknown {
  try {
    return negotiate([accept], ALL);
  } catch (error) {
    return error;
  }
}

describe('the format of a response', () => {
  test('is JSON without Accept', () => {
    expect(chosen([])).toBe('json');
  });

  test.each([
    ['', 'json'],
    ['*/*', 'json'],
    ['application/*', 'json'],
    ['application/json', 'json'],
    ['application/json; charset=utf-8', 'json'],
    ['APPLICATION/JSON', 'json'],
    ['application/json, text/plain, */*', 'json'],
    ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 'json'],
    ['text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2', 'json'],
    ['text/csv', 'csv'],
    ['Text/CSV', 'csv'],
    ['text/*', 'csv'],
    ['text/csv;charset=UTF-8', 'csv'],
    ['text/csv; header=present', 'csv'],
    ['text/csv;header=bom', 'csv+bom'],
    ['text/csv ; header = "bom"', 'csv+bom'],
    ['text/csv;formulas=escaped', 'csv+escaped'],
    ['text/csv;formulas=escaped;header=bom', 'csv+bom+escaped'],
    ['text/csv;formulas=unchanged', 'csv'],
    [ARROW, 'arrow'],
  ])('for Accept: %s is %s', (accept, expected) => {
    expect(chosen([accept])).toBe(expected);
  });

  test.each([
    ['text/csv;q=0.5, application/json;q=0.4', 'csv'],
    ['text/csv;q=0.4, application/json;q=0.5', 'json'],
    [`application/json;q=0.9, ${ARROW}`, 'arrow'],
    ['text/csv;q=0.5, */*;q=0.1', 'csv'],
    ['text/csv;q=0.1, */*;q=0.5', 'json'],
    ['application/json;q=0, */*', 'csv'],
    ['application/json;q=0, text/csv;q=0, */*', 'arrow'],
    ['text/csv;header=bom;q=0.5, text/csv;q=0.4', 'csv+bom'],
    ['text/csv;header=bom;q=0.4, text/csv;q=0.5', 'csv'],
    ['text/csv;q=0.001', 'csv'],
    ['text/csv;Q=1.000, application/json;q=0.999', 'csv'],
  ])('has the greatest weight, and none of weight 0: for Accept: %s it is %s', (accept, expected) => {
    expect(chosen([accept])).toBe(expected);
  });

  test.each([
    ['*/*, text/csv', 'csv'],
    ['application/*, application/vnd.apache.arrow.stream', 'arrow'],
    ['text/csv, text/csv;header=bom', 'csv+bom'],
    ['text/csv, application/json', 'csv'],
    ['application/json, text/csv', 'json'],
  ])('of equal weights is the most specific, then the first: for Accept: %s it is %s', (accept, expected) => {
    expect(chosen([accept])).toBe(expected);
  });

  test.each([
    [['text/xml', 'text/csv'], 'csv'],
    [['nonsense', 'text/csv'], 'csv'],
    [['*/csv, a/b/c, text/, ;q=1, application/json'], 'json'],
    [['text/csv;title="a, b; c\\" d";q=0, text/csv;q=0.5'], 'csv'],
  ])('comes from all values together, without those that are malformed: %j is %s', (accept, expected) => {
    expect(chosen(accept)).toBe(expected);
  });

  test.each([
    'nonsense',
    'application/xml',
    'text/csv;header=absent',
    'text/csv;charset=latin1',
    'text/csv;delimiter=tab',
    'application/json;q=0',
    '*/*;q=0',
    'text/plain, image/*',
  ])('does not exist for Accept: %s: the problem names all that do', (accept) => {
    const error = rejection(accept);
    if (!(error instanceof ApiError)) throw new Error('the header was not rejected');
    expect(error).toMatchObject({
      code: 'NOT_ACCEPTABLE',
      status: 406,
      message: `Accept must allow application/json, text/csv (with ;header=bom and ;formulas=escaped if wanted) or ${ARROW}.`,
    });
  });

  test('is one that the endpoint has', () => {
    expect(chosen([`${ARROW}, text/csv;q=0.1`], ['json', 'csv'])).toBe('csv');
    expect(chosen(['text/*;q=0.1, */*;q=0.01'], ['json'])).toBe('json');
  });
});

/** @returns the coding for a request with these values of Accept-Encoding, each in a header of its own */
const codingFor = (...sent: readonly string[]) =>
  acceptedCoding((name) => ({ accept: ['application/json'], 'accept-encoding': sent })[name] ?? []);

describe('the coding of a compressed body', () => {
  test.each([
    ['gzip', 'gzip'],
    ['gzip, deflate, br, zstd', 'br'],
    ['*', 'br'],
    ['br;q=0, *', 'gzip'],
    ['identity;q=0, *;q=0.001', 'br'],
    ['br;q=0.5, gzip;q=0.8', 'gzip'],
    ['identity;q=1, gzip;q=0.1', 'gzip'],
  ])('for Accept-Encoding: %s is %s', (sent, expected) => {
    expect(codingFor(sent)).toBe(expected);
  });

  test.each(['', 'identity', 'deflate', 'gzip;q=0, br;q=0.000', ';q=1'])('is none for Accept-Encoding: %s', (sent) => {
    expect(codingFor(sent)).toBeUndefined();
  });

  test('is none without Accept-Encoding, as many clients then expect a body without coding', () => {
    expect(codingFor()).toBeUndefined();
  });

  test('counts the elements of repeated headers together', () => {
    expect(codingFor('deflate', 'br;q=0.1, gzip;q=0.2')).toBe('gzip');
  });

  test.each([[], [''], ['application'], ['*'], [', application/json'], ['text/html', 'json']])(
    'is none if Accept is %j, because API Gateway would send the base64 as it is',
    (...accept) => {
      expect(acceptedCoding((name) => (name === 'accept' ? accept : ['gzip']))).toBeUndefined();
    },
  );

  test.each(['*/*', 'application/json', 'text/html;q=0.9, */*;q=0.1', 'application/problem+json'])(
    'does not depend on the media types in Accept: %s',
    (accept) => {
      expect(acceptedCoding((name) => (name === 'accept' ? [accept] : ['gzip']))).toBe('gzip');
    },
  );
});

test('a text is equal after encoding and decoding', async () => {
  const text = JSON.stringify({ text: 'Äpfel – €1', rows: Array.from({ length: 1_000 }, (_, id) => ({ id })) });
  expect(gunzipSync(await encode('gzip', text)).toString()).toBe(text);
  expect(brotliDecompressSync(await encode('br', text)).toString()).toBe(text);
});

test('a text is compressed outside the event loop, so that the deadline of its request can pass meanwhile', async () => {
  let isEncoded = false;
  const encoding = encode('gzip', '0123456789'.repeat(100_000)).then(() => {
    isEncoded = true;
  });
  for (let step = 0; step < 100; step++) await null; // a compression in the event loop would be done
  expect(isEncoded).toBe(false);
  await encoding;
});
