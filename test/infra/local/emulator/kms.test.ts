import { createHash, createHmac, verify } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GenerateMacCommand, GetPublicKeyCommand, KMSClient, SignCommand } from '@aws-sdk/client-kms';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { generateKey, keyInFile, openKms } from '../../../../infra/local/emulator/services/kms.ts';
import { KMS_SECRET } from '../../../support/user-id-key.ts';

let kms: Awaited<ReturnType<typeof openKms>>;
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
const sign = (KeyId: string, text: string) =>
  new SignCommand({
    KeyId,
    Message: digestOf(text),
    MessageType: 'DIGEST',
    SigningAlgorithm: 'ECDSA_SHA_256',
  });

describe('the emulated KMS', () => {
  test('computes a MAC with a secret', async () => {
    const { Mac } = await client.send(
      new GenerateMacCommand({ KeyId: 'Secret', Message: Buffer.from('text'), MacAlgorithm: 'HMAC_SHA_256' }),
    );
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
        const { Signature, SigningAlgorithm } = await client.send(sign(KeyId, text));
        const signature = Buffer.from(Signature ?? []);
        expect(SigningAlgorithm).toBe('ECDSA_SHA_256');
        expect(verify('sha256', Buffer.from(text), key, signature)).toBe(true);
        expect(verify('sha256', Buffer.from('another'), key, signature)).toBe(false);
      }
    },
  );

  test('rejects an unknown key', async () => {
    await expect(client.send(sign('Other', 'signed'))).rejects.toMatchObject({ name: 'NotFoundException' });
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
