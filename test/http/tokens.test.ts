import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { afterAll, describe, expect, test } from 'vitest';
import { openTestService } from './support/test-service.ts';

const service = await openTestService();
const instance = await service.start();
afterAll(() => service.close());

async function tokenOf(key: string): Promise<string> {
  const { body } = await instance.send('get-jwt', { key });
  return Object(body).token;
}

const withToken = (token: string) => ({ key: 'key-ana', headers: [['Authorization', `Bearer ${token}`]] as const });

const partsOf = (token: string) =>
  token
    .split('.')
    .slice(0, 2)
    .map((part) => JSON.parse(Buffer.from(part, 'base64url').toString()));

const encode = (part: unknown) => Buffer.from(JSON.stringify(part)).toString('base64url');

/** @returns a token signed with a key of the test */
function forge(header: object, claims: object, key: KeyObject): string {
  const signed = `${encode(header)}.${encode(claims)}`;
  const signature = sign('sha256', Buffer.from(signed), { key, dsaEncoding: 'ieee-p1363' });
  return `${signed}.${signature.toString('base64url')}`;
}

describe('GET /jwt', () => {
  test('"Returns the caller’s JWT": signed with ES256, valid for an hour, with the caller’s type and accounts', async () => {
    const before = Math.floor(Date.now() / 1000);
    const { status, body } = await instance.send('get-jwt', { key: 'key-ana' });
    const { token, tokenType, expiresAt } = Object(body);
    const [header, claims] = partsOf(token);
    expect({ status, tokenType, header, claims }).toEqual({
      status: 200,
      tokenType: 'Bearer',
      header: { alg: 'ES256', typ: 'JWT', kid: expect.stringMatching(/^[\w-]{43}$/) },
      claims: {
        iss: 'urn:endcap:test',
        sub: 'ana',
        aud: 'endcap',
        iat: expect.any(Number),
        exp: claims.iat + 3600,
        jti: expect.stringMatching(/^[0-9a-f-]{36}$/),
        userType: 'AGENCY',
        accountIds: [1, 2],
      },
    });
    expect(claims.iat).toBeGreaterThanOrEqual(before);
    expect(expiresAt).toBe(new Date(claims.exp * 1000).toISOString());
  });

  test('returns a new token on each call', async () => {
    const [first, second] = [await tokenOf('key-ana'), await tokenOf('key-ana')];
    expect(partsOf(first)[1].jti).not.toBe(partsOf(second)[1].jti);
  });
});

describe('GET /jwt/claims', () => {
  test('"Shows the claims of the caller’s JWT": of the JWT in the request, on every instance', async () => {
    const token = await tokenOf('key-ana');
    const another = await service.start();
    const { status, body } = await another.send('get-jwt-claims', withToken(token));
    expect({ status, body }).toEqual({ status: 200, body: partsOf(token)[1] });
  });

  test('returns the claims of a JWT issued now if the request has none', async () => {
    const { body } = await instance.send('get-jwt-claims', { key: 'key-carl' });
    expect(body).toMatchObject({
      iss: 'urn:endcap:test',
      sub: 'carl',
      aud: 'endcap',
      userType: 'CPG',
      accountIds: [1, 2],
    });
  });
});

describe('every endpoint verifies the bearer token of a request, if there is one', () => {
  test('a valid token is accepted', async () => {
    const request = withToken(await tokenOf('key-ana'));
    const statuses = await Promise.all([
      instance.send('list-accounts', request),
      instance.send('list-placements', request),
      instance.send('list-contacts', { ...request, query: [['account_id', '1']] }),
    ]);
    expect(statuses.map(({ status }) => status)).toEqual([200, 200, 200]);
  });

  test('a token that is not a valid token of the caller is rejected with 401 and the reason', async () => {
    const good = await tokenOf('key-ana');
    const [header, claims] = partsOf(good);
    const [head = '', payload = '', signature = ''] = good.split('.');
    const foreign = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
    const flipped = `${signature.slice(0, 10)}${signature[10] === 'A' ? 'B' : 'A'}${signature.slice(11)}`;
    const cases: Readonly<Record<string, string>> = {
      tampered: `${head}.${encode({ ...claims, accountIds: [1, 2, 3] })}.${signature}`,
      'with another signature': `${head}.${payload}.${flipped}`,
      'signed with a foreign key': forge(header, claims, foreign),
      'alg none': `${encode({ alg: 'none', typ: 'JWT' })}.${payload}.`,
      'alg HS256': `${encode({ alg: 'HS256', typ: 'JWT' })}.${payload}.${signature}`,
      'of another user': await tokenOf('key-carl'),
      'not a token': 'x',
    };
    const reasons: Record<string, unknown> = {};
    for (const [what, token] of Object.entries(cases)) {
      const { status, body } = await instance.send('list-placements', withToken(token));
      reasons[what] = [status, Object(body).code, Object(body).detail.split('. ')[0]];
    }
    const mismatch = [401, 'TOKEN_INVALID', 'The signature of the token does not match'];
    expect(reasons).toEqual({
      tampered: mismatch,
      'with another signature': mismatch,
      'signed with a foreign key': mismatch,
      'alg none': [401, 'TOKEN_INVALID', 'The token is not signed with ES256'],
      'alg HS256': [401, 'TOKEN_INVALID', 'The token is not signed with ES256'],
      'of another user': [401, 'TOKEN_INVALID', 'The token belongs to another user'],
      'not a token': [401, 'TOKEN_INVALID', 'The token is not a JWT'],
    });
  });

  test('no log line contains a token', async () => {
    const token = await tokenOf('key-ana');
    await instance.send('list-placements', withToken(token));
    await instance.send('list-placements', withToken(`${token}x`));
    expect(service.logged.map((line) => JSON.stringify(line)).join('\n')).not.toMatch(/eyJ/);
  });
});
