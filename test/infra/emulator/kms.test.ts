import { createHash, createHmac, verify } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GenerateMacCommand, GetPublicKeyCommand, KMSClient, SignCommand } from '@aws-sdk/client-kms';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { generateKey, type KmsEndpoint, keyInFile, openKms } from '../../../infra/emulator/services/kms.ts';
import { KMS_SECRET } from '../../support/user-id-key.ts';

let kms: KmsEndpoint;
let client: KMSClient;
beforeAll(async () => {
  kms = await openKms(
    new Map([
      ['Key', generateKey()],
      ['Secret', KMS_SECRET],
    ]),
  );
  const credentials = { accessKeyId: 'a', secretAccessKey: 'b' };
  client = new KMSClient({ endpoint: kms.url, region: 'us-east-1', credentials });
});
afterAll(async () => {
  client.destroy();
  await kms.close();
});

const digestOf = (text: string) => createHash('sha256').update(text).digest();
const sign = (input: object = {}) =>
  new SignCommand({
    KeyId: 'Key',
    Message: digestOf('signed'),
    MessageType: 'DIGEST',
    SigningAlgorithm: 'ECDSA_SHA_256',
    ...input,
  });

const generateMac = (input: object = {}) =>
  new GenerateMacCommand({ KeyId: 'Secret', Message: Buffer.from('text'), MacAlgorithm: 'HMAC_SHA_256', ...input });

describe('the emulated KMS', () => {
  test('computes a MAC with a secret', async () => {
    const { Mac } = await client.send(generateMac());
    expect(Buffer.from(Mac ?? [])).toEqual(createHmac('sha256', KMS_SECRET).update('text').digest());
  });

  test.each(['Key', 'arn:aws:kms:us-east-1:000000000000:key/Key'])(
    'signs digests in DER with the key %s, and its public key verifies them',
    async (KeyId) => {
      const { PublicKey, KeySpec } = await client.send(new GetPublicKeyCommand({ KeyId }));
      const key = { key: Buffer.from(PublicKey ?? []), format: 'der', type: 'spki' } as const;
      expect(KeySpec).toBe('ECC_NIST_P256');
      // several signatures, because DER drops leading zeros, so that their lengths differ
      for (let attempt = 0; attempt < 20; attempt += 1) {
        const text = `signed ${attempt}`;
        const { Signature, SigningAlgorithm } = await client.send(sign({ KeyId, Message: digestOf(text) }));
        const signature = Buffer.from(Signature ?? []);
        expect(SigningAlgorithm).toBe('ECDSA_SHA_256');
        expect(verify('sha256', Buffer.from(text), key, signature)).toBe(true);
        expect(verify('sha256', Buffer.from('another'), key, signature)).toBe(false);
      }
    },
  );

  test.each([
    ['an unknown key', () => client.send(sign({ KeyId: 'Other' })), 'NotFoundException'],
    ['a raw message', () => client.send(sign({ MessageType: 'RAW' })), 'ValidationException'],
    ['another algorithm', () => client.send(sign({ SigningAlgorithm: 'ECDSA_SHA_384' })), 'ValidationException'],
    ['a digest of another length', () => client.send(sign({ Message: Buffer.alloc(48) })), 'ValidationException'],
    ['a signature with a secret', () => client.send(sign({ KeyId: 'Secret' })), 'InvalidKeyUsageException'],
    ['a MAC with a signing key', () => client.send(generateMac({ KeyId: 'Key' })), 'InvalidKeyUsageException'],
    [
      'a MAC of another algorithm',
      () => client.send(generateMac({ MacAlgorithm: 'HMAC_SHA_512' })),
      'ValidationException',
    ],
    [
      'a request for the public key of a secret',
      () => client.send(new GetPublicKeyCommand({ KeyId: 'Secret' })),
      'UnsupportedOperationException',
    ],
  ])('rejects %s', async (_, call, name) => {
    await expect(call()).rejects.toMatchObject({ name });
  });

  test('responds with an error to a call that it does not emulate', async () => {
    const headers = { 'content-type': 'application/x-amz-json-1.1', 'x-amz-target': 'TrentService.Encrypt' };
    const response = await fetch(kms.url, { method: 'POST', headers, body: '{"KeyId":"Key"}' });
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({
      __type: 'UnknownOperationException',
      message: 'TrentService.Encrypt is not emulated',
    });
  });
});

test('a key in a file is created once, and only its owner may read it', () => {
  const folder = mkdtempSync(join(tmpdir(), 'endcap-kms-'));
  try {
    const file = join(folder, 'key.pem');
    const first = keyInFile(file);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, 'utf8')).toContain('-----BEGIN PRIVATE KEY-----');
    expect(keyInFile(file).equals(first)).toBe(true);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
