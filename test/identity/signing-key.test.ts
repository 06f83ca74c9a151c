import { createPublicKey, generateKeyPairSync, sign, verify } from 'node:crypto';
import dns from 'node:dns';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { calculateJwkThumbprint, exportJWK } from 'jose';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { useLocalCredentials } from '../../infra/local/emulator/services/local-credentials.ts';
import { openSigningKeys } from '../../shared/identity/signing-key.ts';
import { FREEZES, stopClock } from '../support/test-clock.ts';

const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const publicKey = createPublicKey(privateKey);
const der = publicKey.export({ type: 'spki', format: 'der' }).toString('base64');

/** The responses of the test's KMS, in order; the last one is repeated. It does not respond where the status is 0. */
let responses: readonly [status: number, body: object][];
/** The calls that the KMS has received. */
let calls: { target: string; body: Record<string, unknown> }[];
let server: Server;

beforeEach(async () => {
  calls = [];
  server = createServer(async (request, response) => {
    const chunks = await request.toArray();
    calls.push({
      target: String(request.headers['x-amz-target']),
      body: JSON.parse(Buffer.concat(chunks).toString()),
    });
    const [status, body] = responses[Math.min(calls.length, responses.length) - 1] ?? [500, {}];
    if (status === 0) return; // does not respond
    response.writeHead(status, { 'content-type': 'application/x-amz-json-1.1' }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // it listens on TCP
  useLocalCredentials();
  vi.stubEnv('AWS_ENDPOINT_URL_KMS', `http://127.0.0.1:${port}`);
});

afterEach(async () => {
  vi.unstubAllEnvs();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

describe('the signing key in KMS', () => {
  test('has a public key, which is fetched once, and whose id is the JWK thumbprint', async () => {
    responses = [[200, { PublicKey: der }]];
    const key = openSigningKeys('the-key').current;
    const [first, second] = await Promise.all([key.publicKey(), key.publicKey()]);
    expect(calls).toEqual([{ target: 'TrentService.GetPublicKey', body: { KeyId: 'the-key' } }]);
    expect(first).toBe(second);
    expect(first.kid).toBe(await calculateJwkThumbprint(await exportJWK(publicKey)));
  });

  test('is published with the other accepted keys, without those that an operator has disabled', async () => {
    responses = [
      [200, { PublicKey: der }],
      [400, { __type: 'DisabledException', message: 'disabled' }],
    ];
    const kid = await calculateJwkThumbprint(await exportJWK(publicKey));
    const { x, y } = await exportJWK(publicKey);
    expect(await openSigningKeys('the-key,disabled').listPublished()).toEqual([
      { kty: 'EC', crv: 'P-256', x, y, kid, alg: 'ES256', use: 'sig' },
    ]);
  });

  test('is not published while another accepted key cannot be fetched: a short list would reject valid tokens', async () => {
    responses = [
      [200, { PublicKey: der }],
      [400, { __type: 'InvalidKeyUsageException', message: 'not for signatures' }],
    ];
    await expect(openSigningKeys('the-key,other').listPublished()).rejects.toThrow('not for signatures');
  });

  test('is published and found without an accepted key whose permission a deployment has taken away', async () => {
    const denied: [number, object] = [400, { __type: 'AccessDeniedException', message: 'not allowed' }];
    responses = [[200, { PublicKey: der }], denied];
    const keys = openSigningKeys('the-key,removed');
    await keys.current.publicKey(); // the first call
    const [published] = await keys.listPublished();
    expect(await keys.find(published?.kid)).toMatchObject({ kid: published?.kid });
    expect(await keys.find('of the removed key')).toBeUndefined();
    calls = [];
    responses = [denied];
    const unreadable = openSigningKeys('the-key');
    await expect(unreadable.listPublished()).rejects.toThrow('not allowed');
    await expect(unreadable.find(published?.kid)).rejects.toThrow('not allowed');
  });

  test('is found without waiting for another accepted key that does not respond', async () => {
    responses = [
      [200, { PublicKey: der }],
      [0, {}],
    ];
    const kid = await calculateJwkThumbprint(await exportJWK(publicKey));
    const keys = openSigningKeys('the-key,silent');
    expect(await keys.find(kid)).toMatchObject({ kid });
  });

  test('is not fetched again for a second if an operator has disabled it', async () => {
    responses = [
      [200, { PublicKey: der }],
      [400, { __type: 'DisabledException', message: 'disabled' }],
    ];
    let now = 0;
    const keys = openSigningKeys('the-key,disabled', () => now);
    for (now = 0; now < 1_000; now += 111) {
      expect(await keys.find('another')).toBeUndefined();
      expect(await keys.listPublished()).toHaveLength(1);
    }
    expect(calls).toHaveLength(2);
    now = 1_000;
    await keys.listPublished();
    expect(calls.slice(2)).toEqual([calls[1]]); // the key of the second call is disabled
  });

  test('signs a digest and returns r‖s', async () => {
    const signature = sign('sha256', Buffer.from('x'), privateKey);
    responses = [[200, { Signature: signature.toString('base64') }]];
    const raw = await openSigningKeys('the-key').current.sign(new Uint8Array(32));
    expect(verify('sha256', Buffer.from('x'), { key: publicKey, dsaEncoding: 'ieee-p1363' }, raw)).toBe(true);
    expect(calls).toEqual([
      {
        target: 'TrentService.Sign',
        body: {
          KeyId: 'the-key',
          Message: Buffer.alloc(32).toString('base64'),
          MessageType: 'DIGEST',
          SigningAlgorithm: 'ECDSA_SHA_256',
        },
      },
    ]);
  });

  test('throws STORE_BUSY with Retry-After if KMS stays throttled after all retries, and calls KMS again after a second', async () => {
    responses = [[400, { __type: 'ThrottlingException', message: 'slow down' }]];
    let now = 0;
    const key = openSigningKeys('the-key', () => now).current;
    const busy = { code: 'STORE_BUSY', status: 503, headers: { 'Retry-After': '1' } };
    await expect(key.sign(new Uint8Array(32))).rejects.toMatchObject(busy);
    await expect(key.publicKey()).rejects.toMatchObject(busy);
    expect(calls.length).toBeGreaterThan(2);
    calls = [];
    responses = [[200, { PublicKey: der }]];
    await expect(key.publicKey()).rejects.toMatchObject(busy);
    expect(calls).toEqual([]);
    now = 1_000;
    expect(await key.publicKey()).toHaveProperty('kid');
  });

  test.each(FREEZES)('an instance %s calls KMS again after a failure', async (_, clocksAfter) => {
    const clock = stopClock();
    using _clock = { [Symbol.dispose]: clock.release };
    responses = [[400, { __type: 'ThrottlingException', message: 'slow down' }]];
    const key = openSigningKeys('the-key').current;
    await expect(key.publicKey()).rejects.toMatchObject({ code: 'STORE_BUSY' });
    responses = [[200, { PublicKey: der }]];
    clock.advance(...clocksAfter(1_100));
    expect(await key.publicKey()).toHaveProperty('kid');
  });

  test.each(['http://127.0.0.1:1', 'http://kms.invalid'])(
    'throws STORE_BUSY if nothing responds at %s',
    async (url) => {
      const unknown = Object.assign(new Error('getaddrinfo ENOTFOUND kms.invalid'), { code: 'ENOTFOUND' });
      const lookup = (_host: string, _options: object, respond: (error: Error) => void) => respond(unknown);
      using _ = vi.spyOn(dns, 'lookup').mockImplementation(lookup as never); // no network; an IP address is not looked up
      vi.stubEnv('AWS_ENDPOINT_URL_KMS', url);
      const { current } = openSigningKeys('the-key');
      await expect(current.publicKey()).rejects.toMatchObject({ code: 'STORE_BUSY' });
      await expect(current.sign(new Uint8Array(32))).rejects.toMatchObject({ code: 'STORE_BUSY' });
    },
  );

  test('throws other errors unchanged, so that they are logged', async () => {
    responses = [[400, { __type: 'AccessDeniedException', message: 'not allowed' }]];
    await expect(openSigningKeys('the-key').current.publicKey()).rejects.toMatchObject({
      name: 'AccessDeniedException',
    });
  });
});
