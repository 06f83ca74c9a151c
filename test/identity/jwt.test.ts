import { createHash, generateKeyPairSync, sign, webcrypto } from 'node:crypto';
import { exportJWK } from 'jose';
import { describe, expect, test } from 'vitest';
import { TokenClaims } from '../../shared/contract/resources/jwt.ts';
import { derToRaw } from '../../shared/identity/der.ts';
import type { Caller, TokenClaims as Claims } from '../../shared/identity/identity.ts';
import { claimsFor, signToken, verifyToken } from '../../shared/identity/sign-token.ts';
import type { SigningKey } from '../../shared/identity/signing-key.ts';

const ANA: Caller = { userId: 'ana', name: 'Ana', userType: 'AGENCY', accountIds: new Set([1, 2]), commit: 1 };
const SETTINGS = { issuer: 'urn:endcap:test', audience: 'endcap' };
const NOW = Date.UTC(2026, 2, 1, 12);

/** A local key. Node's `sign` takes texts, not digests, so each text is registered by its digest before it is signed. */
async function localKey(): Promise<SigningKey & { register(text: string): void }> {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256' };
  const jwk = await exportJWK(publicKey);
  const key = await webcrypto.subtle.importKey('jwk', { ...jwk, kty: 'EC' }, algorithm, true, ['verify']);
  const texts = new Map<string, string>();
  return {
    publicKey: async () => ({ kid: 'test', key }),
    register: (text) => void texts.set(createHash('sha256').update(text).digest('hex'), text),
    sign: async (digest) => {
      const text = texts.get(Buffer.from(digest).toString('hex'));
      if (text === undefined) throw new Error('the text of the digest has not been registered');
      return derToRaw(sign('sha256', Buffer.from(text), privateKey));
    },
  };
}

const encode = (part: unknown) => Buffer.from(JSON.stringify(part)).toString('base64url');

async function issue(claims: object, key: Awaited<ReturnType<typeof localKey>>): Promise<string> {
  key.register(`${encode({ alg: 'ES256', typ: 'JWT', kid: 'test' })}.${encode(claims)}`);
  return signToken(claims as Claims, key); // some are invalid on purpose
}

describe('the claims of a token', () => {
  test('have the form of the contract', () => {
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
  ])('list up to 100 accounts, and otherwise count them: %i', (count, expected) => {
    const caller = { ...ANA, accountIds: new Set(Array.from({ length: count }, (_, index) => index)) };
    const { accountIds, accountCount } = claimsFor(caller, SETTINGS, NOW);
    expect(JSON.parse(JSON.stringify({ accountIds, accountCount }))).toEqual(expected);
  });
});

describe('a token', () => {
  const CASES: readonly [title: string, change: object, later: number, expected: unknown][] = [
    ['is valid when it has just been issued', {}, 0, 'claims'],
    ['is valid in its last second', {}, 3599, 'claims'],
    ['is valid for 5 s more, the tolerance for clocks', {}, 3604, 'claims'],
    ['is rejected when it has expired', {}, 3606, 'The token has expired.'],
    ['is valid if it was issued by a clock 5 s ahead', {}, -5, 'claims'],
    ['is rejected if it was issued in the future', {}, -10, 'The claim iat of the token is not valid.'],
    ['is rejected if it is of another issuer', { iss: 'urn:other' }, 0, 'The claim iss of the token is not valid.'],
    ['is rejected if it is for another audience', { aud: 'other' }, 0, 'The claim aud of the token is not valid.'],
    ['is rejected if it belongs to another user', { sub: 'carl' }, 0, 'The token belongs to another user.'],
    ['is rejected without exp', { exp: undefined }, 0, 'The claim exp of the token is not valid.'],
    ['is rejected without jti', { jti: undefined }, 0, 'The claim jti of the token is not valid.'],
    ['is rejected without sub', { sub: undefined }, 0, 'The token belongs to another user.'],
    [
      'is rejected an hour after its issue, even if it expires later',
      { exp: NOW / 1000 + 86_400 },
      3606,
      'The token has expired.',
    ],
  ];

  test.each(CASES)('%s', async (_, change, later, expected) => {
    const key = await localKey();
    const claims = { ...claimsFor(ANA, SETTINGS, NOW), ...change };
    const token = await issue(claims, key);
    const verified = await verifyToken(token, ANA, SETTINGS, key.publicKey, NOW + later * 1000);
    expect('reason' in verified ? verified.reason : verified).toEqual(expected === 'claims' ? claims : expected);
  });

  test.each([
    ['with alg none', `${encode({ alg: 'none' })}.${encode({})}.`],
    ['with alg ES384', `${encode({ alg: 'ES384' })}.${encode({})}.AAAA`],
    ['with too few parts', 'a.b'],
    ['that is encrypted', 'a.b.c.d.e'],
    ['that is empty', ''],
  ])('%s is rejected without fetching the key', async (_, token) => {
    let fetches = 0;
    const publicKey = async () => {
      fetches += 1;
      throw new Error('must not be fetched');
    };
    expect(await verifyToken(token, ANA, SETTINGS, publicKey, NOW)).toHaveProperty('reason');
    expect(fetches).toBe(0);
  });

  test('is not rejected if the key cannot be fetched: the error is thrown', async () => {
    const key = await localKey();
    const token = await issue(claimsFor(ANA, SETTINGS, NOW), key);
    const unreachable = async () => {
      throw new Error('no route');
    };
    await expect(verifyToken(token, ANA, SETTINGS, unreachable, NOW)).rejects.toThrow('no route');
  });
});
