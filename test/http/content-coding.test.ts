import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { acceptedCoding, encode } from '../../shared/http/format/content-coding.ts';

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
