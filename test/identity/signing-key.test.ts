import { createPublicKey, generateKeyPairSync, sign } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { calculateJwkThumbprint, exportJWK } from 'jose';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { openSigningKey } from '../../shared/identity/signing-key.ts';
import { useLocalCredentials } from '../support/table.ts';

const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const publicKey = createPublicKey(privateKey);
const der = publicKey.export({ type: 'spki', format: 'der' }).toString('base64');

/** What the KMS of the test answers next, and what it was asked. */
let answers: readonly [status: number, body: object][];
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
    const [status, body] = answers[Math.min(calls.length, answers.length) - 1] ?? [500, {}];
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
  test('its public half is fetched once, and its id is the JWK thumbprint', async () => {
    answers = [[200, { PublicKey: der }]];
    const key = openSigningKey('the-key');
    const [first, second] = await Promise.all([key.publicKey(), key.publicKey()]);
    expect(calls).toEqual([{ target: 'TrentService.GetPublicKey', body: { KeyId: 'the-key' } }]);
    expect(first).toBe(second);
    expect(first.kid).toBe(await calculateJwkThumbprint(await exportJWK(publicKey)));
  });

  test('signs a digest, and answers r‖s', async () => {
    const signature = sign('sha256', Buffer.from('x'), privateKey);
    answers = [[200, { Signature: signature.toString('base64') }]];
    const raw = await openSigningKey('the-key').sign(new Uint8Array(32));
    expect(raw).toHaveLength(64);
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

  test('a KMS that is busy is 503 with Retry-After once the tries are used up, and is asked again by the next request', async () => {
    answers = [[400, { __type: 'ThrottlingException', message: 'slow down' }]];
    const key = openSigningKey('the-key');
    const busy = { code: 'STORE_BUSY', status: 503, headers: { 'Retry-After': '1' } };
    await expect(key.sign(new Uint8Array(32))).rejects.toMatchObject(busy);
    await expect(key.publicKey()).rejects.toMatchObject(busy);
    expect(calls.length).toBeGreaterThan(2);
    calls = [];
    answers = [[200, { PublicKey: der }]];
    expect(await key.publicKey()).toHaveProperty('kid');
  });

  test('any other failure is thrown as it is, for the log', async () => {
    answers = [[400, { __type: 'AccessDeniedException', message: 'not allowed' }]];
    await expect(openSigningKey('the-key').publicKey()).rejects.toMatchObject({ name: 'AccessDeniedException' });
  });
});
