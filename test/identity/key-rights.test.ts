import { afterEach, describe, expect, test, vi } from 'vitest';
import type { ApiKey } from '../../shared/identity/keys/key-record.ts';
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
