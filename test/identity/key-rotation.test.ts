import { createHash, type KeyObject } from 'node:crypto';
import { p256 } from '@noble/curves/nist.js';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { generateKey, openKms } from '../../infra/local/emulator/services/kms.ts';
import { useLocalCredentials } from '../../infra/local/emulator/services/local-credentials.ts';
import type { Caller } from '../../shared/identity/identity.ts';
import { openSigningKeys } from '../../shared/identity/signing-key.ts';
import { Tokens } from '../../shared/identity/tokens.ts';

const ANA: Caller = { userId: 'ana', name: 'Ana', userType: 'AGENCY', accountIds: new Set([1]), commit: 1 };
const NOT_ACCEPTED = { reason: 'The token is not signed with an accepted key.' };

const privateKeys = new Map<string, KeyObject>([
  ['old', generateKey()],
  ['new', generateKey()],
]);
let kms: Awaited<ReturnType<typeof openKms>>;
beforeAll(async () => {
  useLocalCredentials();
  kms = await openEmulatedKms('old', 'new');
  vi.stubEnv('AWS_ENDPOINT_URL_KMS', kms.url);
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await kms.close();
});

const openEmulatedKms = (...ids: readonly string[]) =>
  openKms(new Map(ids.map((id) => [id, privateKeys.get(id) ?? generateKey()])));

/** @returns the tokens of an instance that is deployed with these keys, the first of which signs */
const deployed = (keyIds: string) =>
  new Tokens({ issuer: 'urn:endcap:test', audience: 'endcap' }, () => openSigningKeys(keyIds), Date.now);

const kidOf = (token: string): string => JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()).kid;

/** @returns the token with another header, signed with the key of this id */
function signAgain(token: string, header: object, keyId: string): string {
  const [, claims] = token.split('.');
  const signed = `${Buffer.from(JSON.stringify(header)).toString('base64url')}.${claims}`;
  const secret = Buffer.from(privateKeys.get(keyId)?.export({ format: 'jwk' }).d ?? '', 'base64url');
  const digest = createHash('sha256').update(signed).digest();
  const signature = p256.sign(digest, secret, { prehash: false, lowS: true });
  return `${signed}.${Buffer.from(signature).toString('base64url')}`;
}

describe('a rotation of the signing key', () => {
  test('accepts each token in every step, whichever instances are deployed already, and rejects the old key’s in the end', async () => {
    const steps = ['old', 'old,new', 'new,old', 'new'].map(deployed);
    const tokens = await Promise.all(steps.map(async (step) => (await step.issue(ANA)).token));
    const accepted = await Promise.all(
      steps.map((step) =>
        Promise.all(tokens.map(async (token) => ('sub' in (await step.verify(token, ANA)) ? 'yes' : 'no'))),
      ),
    );
    expect(accepted).toEqual([
      ['yes', 'yes', 'no', 'no'],
      ['yes', 'yes', 'yes', 'yes'],
      ['yes', 'yes', 'yes', 'yes'],
      ['no', 'no', 'yes', 'yes'],
    ]);
    const [first, second, third, fourth] = tokens.map(kidOf);
    expect([second, fourth]).toEqual([first, third]);
    expect(third).not.toBe(first);
  });
});

describe('the key id of a token', () => {
  test.each([
    ['unknown', { alg: 'ES256', typ: 'JWT', kid: 'unknown' }],
    ['missing', { alg: 'ES256', typ: 'JWT' }],
  ])('must be that of an accepted key: %s', async (_, header) => {
    const { token } = await deployed('old').issue(ANA);
    expect(await deployed('old,new').verify(signAgain(token, header, 'old'), ANA)).toEqual(NOT_ACCEPTED);
  });

  test('must be that of the key that signed: a token of one accepted key with the id of the other is rejected', async () => {
    const both = deployed('new,old');
    const old = (await deployed('old').issue(ANA)).token;
    const { token } = await both.issue(ANA);
    const header = { alg: 'ES256', typ: 'JWT', kid: kidOf(old) };
    expect(await both.verify(signAgain(token, header, 'old'), ANA)).toHaveProperty('sub');
    expect(await both.verify(signAgain(token, header, 'new'), ANA)).toEqual({
      reason: 'The signature of the token does not match.',
    });
  });
});

describe('an accepted key that KMS has disabled or deleted', () => {
  test('is no longer accepted on new instances, and tokens of the other key are', async () => {
    const [old, current] = await Promise.all(['old', 'new'].map((keyId) => deployed(keyId).issue(ANA)));
    const withoutOld = await openEmulatedKms('new');
    vi.stubEnv('AWS_ENDPOINT_URL_KMS', withoutOld.url);
    const tokens = deployed('new,old');
    expect(await tokens.verify(current?.token ?? '', ANA)).toHaveProperty('sub');
    expect(await tokens.verify(old?.token ?? '', ANA)).toEqual(NOT_ACCEPTED);
    vi.stubEnv('AWS_ENDPOINT_URL_KMS', kms.url);
    await withoutOld.close();
  });
});
