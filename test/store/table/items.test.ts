import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { chunkBytes, chunkItem } from '../../../shared/store/table/chunk-items.ts';
import { isStoreBusy, translateError } from '../../../shared/store/table/store-errors.ts';
import { randomBytes } from '../fact-days.ts';

const SHARED = join(import.meta.dirname, '../../../shared');
/** The files that build keys; `key-limiter.ts` appends `#FORBIDDEN` to the digest of usage keys. */
const KEY_FILES = ['store/table/item-keys.ts', 'identity/key-limiter.ts'];

/** @returns the words in capital letters that keys are made of, from quoted texts such as `GARBAGE#<retention>` */
function wordsIn(texts: Iterable<RegExpExecArray>): string[] {
  const words = [...texts].flatMap(([, quoted = '']) => quoted.split('#')).filter((word) => /^[A-Z]{3,}$/.test(word));
  return [...new Set(words)].sort();
}

test('the README of the store has the capital words of all keys, and no others', () => {
  const code = KEY_FILES.map((file) => readFileSync(join(SHARED, file), 'utf8')).join('\n');
  const withoutComments = code.replaceAll(/^\s*(\/\*)?\*.*$/gm, '');
  const [, items = ''] = readFileSync(join(SHARED, 'store/README.md'), 'utf8').split(/^## (?:Items|A load)$/m);
  const built = wordsIn(withoutComments.matchAll(/['`]([^'`\n]*)['`]/g));
  expect(built.length).toBeGreaterThan(20);
  expect(wordsIn(items.matchAll(/`([^`\n]*)`/g))).toEqual(built);
});

describe('a chunk', () => {
  const key = { pk: 'FACTS#7#pla#delivery#2026-05#clicks', sk: '01#0000000001#0000' };
  const item = chunkItem(key, randomBytes(1, 1_000));

  test('is read as it was written', () => {
    expect(chunkBytes(item)).toEqual(randomBytes(1, 1_000));
    expect(chunkBytes(chunkItem(key, new Uint8Array(0)))).toEqual(new Uint8Array(0));
  });

  test.each([
    ['that is truncated', { ...item, bytes: randomBytes(1, 1_000).subarray(0, 999) }],
    ['with other bytes', { ...item, bytes: randomBytes(2, 1_000) }],
    ['at the key of another day', { ...item, sk: '02#0000000001#0000' }],
    ['at the key of another column', { ...item, pk: 'FACTS#7#pla#delivery#2026-05#cost' }],
    ['at the key of another chunk', { ...item, sk: '01#0000000001#0001' }],
    ['without its checksum', { ...key, bytes: item.bytes }],
    ['without bytes', { ...key, sum: item.sum }],
  ])('%s is rejected with an error that names the item', (_what, damaged) => {
    expect(() => chunkBytes(damaged)).toThrow(`${damaged.pk} / ${damaged.sk}`);
  });

  test('with a flipped bit is rejected', () => {
    for (let bit = 0; bit < 8_000; bit += 13) {
      const bytes = randomBytes(1, 1_000);
      bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(() => chunkBytes({ ...item, bytes })).toThrow(/damaged/);
    }
  });
});

const withCode = (code: string) => Object.assign(new Error(`connect ${code}`), { code });
const withName = (name: string) => Object.assign(new Error('rejected'), { name });

describe('an error that a later retry can resolve becomes STORE_BUSY', () => {
  test.each([
    'ECONNREFUSED',
    'ECONNRESET',
    'EPIPE',
    'ETIMEDOUT',
    'EHOSTUNREACH',
    'ENETUNREACH',
    'ENOTFOUND',
    'EAI_AGAIN',
  ])('the connection fails: %s', (code) => {
    const error = withCode(code);
    const translated = translateError(error);
    expect(isStoreBusy(translated)).toBe(true);
    expect(translated).toMatchObject({ status: 503, cause: error });
  });

  test.each(['ThrottlingException', 'InternalServerError', 'TimeoutError'])('DynamoDB is busy: %s', (name) => {
    expect(isStoreBusy(translateError(withName(name)))).toBe(true);
  });
});

test.each([withName('ValidationException'), withName('AccessDeniedException'), withCode('ENOENT'), 'a text'])(
  'any other error remains as it is: %s',
  (error) => {
    expect(translateError(error)).toBe(error);
  },
);
