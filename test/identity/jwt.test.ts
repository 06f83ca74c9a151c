import { createHash, generateKeyPairSync, sign, webcrypto } from 'node:crypto';
import { exportJWK } from 'jose';
import { describe, expect, test } from 'vitest';
import { TokenClaims } from '../../shared/contract/resources/jwt.ts';
import type { Caller, TokenClaims as Claims } from '../../shared/identity/identity.ts';
import { claimsFor, signToken, verifyToken } from '../../shared/identity/jwt.ts';
import type { SigningKey } from '../../shared/identity/signing-key.ts';

const ANA: Caller = { userId: 'ana', name: 'Ana', userType: 'AGENCY', accountIds: new Set([1, 2]), commit: 1 };
const SETTINGS = { issuer: 'urn:endcap:test', audience: 'endcap' };
const NOW = Date.UTC(2026, 2, 1, 12);

/** Signs digests, which Node's own `sign` does not: the text is kept by its digest. */
async function localKey(): Promise<SigningKey & { expect(text: string): void }> {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256' };
  const jwk = await exportJWK(publicKey);
  const key = await webcrypto.subtle.importKey('jwk', { ...jwk, kty: 'EC' }, algorithm, true, ['verify']);
  const texts = new Map<string, string>();
  return {
    publicKey: async () => ({ kid: 'test', key }),
    expect: (text) => void texts.set(createHash('sha256').update(text).digest('hex'), text),
    sign: async (digest) => {
      const text = texts.get(Buffer.from(digest).toString('hex'));
      if (text === undefined) throw new Error('the digest is of no text that was announced');
      return sign('sha256', Buffer.from(text), { key: privateKey, dsaEncoding: 'ieee-p1363' });
    },
  };
}

const encode = (part: unknown) => Buffer.from(JSON.stringify(part)).toString('base64url');

async function issue(claims: object, key: Awaited<ReturnType<typeof localKey>>): Promise<string> {
  key.expect(`${encode({ alg: 'ES256', typ: 'JWT', kid: 'test' })}.${encode(claims)}`);
  return signToken(claims as Claims, key); // some are wrong on purpose
}

describe('the claims of a token', () => {
  test('are as the contract says', () => {
    const claims = claimsFor(ANA, SETTINGS, NOW + 999);
    expect(TokenClaims.parse(claims)).toEqual({
      iss: 'urn:endcap:test',
      sub: 'ana',
      aud: 'endcap',
      iat: NOW / 1000,
      exp: NOW / 1000 + 3600,
      jti: expect.any(String),
      userType: 'AGENCY',
      accountIds: [1, 2],
    });
  });

  test.each([
    [100, { accountIds: Array.from({ length: 100 }, (_, index) => index) }],
    [101, { accountCount: 101 }],
  ])('with %i accounts list them up to 100, else count them', (count, expected) => {
    const caller = { ...ANA, accountIds: new Set(Array.from({ length: count }, (_, index) => index)) };
    const { accountIds, accountCount } = claimsFor(caller, SETTINGS, NOW);
    expect(JSON.parse(JSON.stringify({ accountIds, accountCount }))).toEqual(expected);
  });
});

describe('a token', () => {
  const CASES: readonly [what: string, change: object, later: number, expected: unknown][] = [
    ['just issued', {}, 0, 'claims'],
    ['in its last second', {}, 3599, 'claims'],
    ['expired, within the 5 s that clocks may differ', {}, 3604, 'claims'],
    ['expired', {}, 3606, 'The token has expired.'],
    ['from a clock 5 s ahead', {}, -5, 'claims'],
    ['from the future', {}, -10, 'The token was not issued for this platform: its iat does not hold.'],
    [
      'of another issuer',
      { iss: 'urn:other' },
      0,
      'The token was not issued for this platform: its iss does not hold.',
    ],
    ['for another audience', { aud: 'other' }, 0, 'The token was not issued for this platform: its aud does not hold.'],
    ['of another user', { sub: 'carl' }, 0, 'The token is not of the user that the API key belongs to.'],
    ['without exp', { exp: undefined }, 0, 'The token was not issued for this platform: its exp does not hold.'],
    ['without jti', { jti: undefined }, 0, 'The token was not issued for this platform: its jti does not hold.'],
    ['without sub', { sub: undefined }, 0, 'The token is not of the user that the API key belongs to.'],
    ['valid for longer than ours are', { exp: NOW / 1000 + 86_400 }, 7200, 'The token has expired.'],
  ];

  test.each(CASES)('%s', async (_, change, later, expected) => {
    const key = await localKey();
    const claims = { ...claimsFor(ANA, SETTINGS, NOW), ...change };
    const token = await issue(claims, key);
    const verified = await verifyToken(token, ANA, SETTINGS, key.publicKey, NOW + later * 1000);
    expect('reason' in verified ? verified.reason : verified).toEqual(expected === 'claims' ? claims : expected);
  });

  test.each([
    ['alg none', `${encode({ alg: 'none' })}.${encode({})}.`],
    ['alg ES384', `${encode({ alg: 'ES384' })}.${encode({})}.AAAA`],
    ['too few parts', 'a.b'],
    ['an encrypted one', 'a.b.c.d.e'],
    ['no text at all', ''],
  ])('%s: the key is not even asked for', async (_, token) => {
    let asked = 0;
    const publicKey = async () => {
      asked += 1;
      throw new Error('not to be asked for');
    };
    expect(await verifyToken(token, ANA, SETTINGS, publicKey, NOW)).toHaveProperty('reason');
    expect(asked).toBe(0);
  });

  test('is not called invalid when the key cannot be fetched', async () => {
    const key = await localKey();
    const token = await issue(claimsFor(ANA, SETTINGS, NOW), key);
    const unreachable = async () => {
      throw new Error('no route');
    };
    await expect(verifyToken(token, ANA, SETTINGS, unreachable, NOW)).rejects.toThrow('no route');
  });
});
