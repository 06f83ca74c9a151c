import { crc32 } from 'node:zlib';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { ApiKey } from '../../shared/identity/keys/key-record.ts';
import { generateKey, isMistyped, KEY_PATTERN } from '../../shared/identity/keys/key-record.ts';
import { checkAddressRange, explainForbiddenUse, readKeyLimits } from '../../shared/identity/keys/key-rights.ts';

const KEY: ApiKey = { id: 'a', digest: 'a', userId: 'ana', createdAt: 0, expiresAt: 1 };

describe('the addresses of a key', () => {
  const addresses = ['203.0.113.0/24', '198.51.100.7', '2001:db8::/32'];

  test.each(['203.0.113.0', '203.0.113.255', '198.51.100.7', '2001:db8:ffff::1', '::ffff:203.0.113.9'])(
    'include %s',
    (address) => {
      expect(explainForbiddenUse({ ...KEY, addresses }, { scope: 'jwt', address })).toBeUndefined();
    },
  );

  test.each([
    '203.0.114.0',
    '198.51.100.8',
    '2001:db9::1',
    '::ffff:198.51.100.8',
    '',
    'localhost',
    '203.0.113.1, 1.1.1.1',
  ])('exclude %j', (address) => {
    expect(explainForbiddenUse({ ...KEY, addresses }, { scope: 'jwt', address })).toEqual({
      code: 'ADDRESS_FORBIDDEN',
      reason: `The API key must not be used from the address ${address}.`,
    });
  });

  test.each([
    '',
    '203.0.113.0/33',
    '203.0.113.0/',
    '203.0.113.0/8/8',
    '2001:db8::/129',
    '203.0.113',
    'x',
    '1.2.3.4/-1',
  ])('cannot contain %j', (range) => {
    expect(() => checkAddressRange(range)).toThrow('is not an IP address or a range');
  });
});

describe('the scopes of a key', () => {
  test('allow what they name and nothing else', () => {
    const use = (scopes: ApiKey['scopes'], scope: 'metadata' | 'report' | 'jwt') =>
      explainForbiddenUse({ ...KEY, ...(scopes === undefined ? {} : { scopes }) }, { scope, address: '::1' })?.reason;
    expect(use(undefined, 'report')).toBeUndefined();
    expect(use(['metadata', 'report'], 'report')).toBeUndefined();
    expect(use(['metadata', 'report'], 'jwt')).toBe('The API key is limited to metadata and report.');
    // stored by another version, which had other scopes
    expect(use([], 'report')).toBe(
      'The API key is limited to operations that this version of the service does not have.',
    );
  });
});

describe('the default limits of keys', () => {
  afterEach(() => vi.unstubAllEnvs());

  test('are those of the environment', () => {
    vi.stubEnv('KEY_LIMITS', '{"requestsPerMinute":1,"dailyReadUnits":2000000}');
    expect(readKeyLimits()).toEqual({ requestsPerMinute: 1, dailyReadUnits: 2_000_000 });
    vi.stubEnv('KEY_LIMITS', undefined);
    expect(readKeyLimits()).toEqual({});
  });

  test.each([
    '{"requestsPerMinute":0}',
    '{"concurrentReports":-1}',
    '{"dailyReadUnits":1.5}',
    '{"dailyReadUnits":"1"}',
    '{"rpm":1}',
  ])('cannot be %s', (text) => {
    vi.stubEnv('KEY_LIMITS', text);
    expect(readKeyLimits).toThrow('the variable KEY_LIMITS is not valid');
  });
});

const PREFIX = 'ecap_';
const RANDOM_DIGITS = 43;
const DIGITS = [...'0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'];

describe('a generated key', () => {
  test('has the documented form: its last 6 digits are the CRC-32 of the others in base 62', () => {
    for (let count = 0; count < 200; count += 1) {
      const key = generateKey();
      expect(key).toMatch(KEY_PATTERN);
      const checksum = [...key.slice(-6)].reduce((sum, digit) => sum * 62 + DIGITS.indexOf(digit), 0);
      expect(checksum).toBe(crc32(key.slice(0, -6)));
      expect(isMistyped(key)).toBe(false);
    }
  });

  test('is mistyped after a change of one character after the prefix, a swap of two different neighbours, or one character more or less at the end', () => {
    const key = generateKey();
    for (let at = PREFIX.length; at < key.length; at += 1) {
      const other = key[at] === 'x' ? 'y' : 'x';
      expect(isMistyped(`${key.slice(0, at)}${other}${key.slice(at + 1)}`)).toBe(true);
      const swapped = `${key.slice(0, at)}${key[at + 1] ?? ''}${key[at]}${key.slice(at + 2)}`;
      expect(isMistyped(swapped)).toBe(swapped !== key);
    }
    expect(isMistyped(key.slice(0, -1))).toBe(true);
    expect(isMistyped(`${key}x`)).toBe(true);
    expect(isMistyped(`${key} `)).toBe(true);
  });

  test('uses every digit about equally often', () => {
    const counts = new Map(DIGITS.map((digit) => [digit, 0]));
    for (let count = 0; count < 1_000; count += 1) {
      for (const digit of generateKey().slice(PREFIX.length, PREFIX.length + RANDOM_DIGITS))
        counts.set(digit, (counts.get(digit) ?? 0) + 1);
    }
    const expected = (1_000 * RANDOM_DIGITS) / DIGITS.length;
    for (const count of counts.values()) expect(Math.abs(count - expected)).toBeLessThan(expected / 2);
  });
});

test.each(['ecap_demo_agency', 'key-ana', ''])(
  'a demo key, or a text without the prefix is not mistyped: %j',
  (key) => {
    expect(isMistyped(key)).toBe(false);
  },
);
