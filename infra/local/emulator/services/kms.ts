import { createHmac, createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { p256 } from '@noble/curves/nist.js';
import fastify from 'fastify';
import * as z from 'zod';
import { LOCAL_ACCOUNT, LOCAL_REGION } from './local-credentials.ts';
import { isFromProgram } from './loopback-host.ts';

const ALGORITHM = 'ECDSA_SHA_256';
const OWNER_ONLY = 0o600;

const Call = z.object({ KeyId: z.string(), Message: z.base64().default('') });

/**
 * Opens an emulated KMS on loopback. It supports the SDK's protocol for two kinds of keys: P-256 with `Sign` of a digest and
 * `GetPublicKey`, and secrets with `GenerateMac`.
 * @param keys private and secret keys by id
 */
export async function openKms(keys: ReadonlyMap<string, KeyObject>) {
  const server = fastify();
  server.addHook('onRequest', async ({ raw }, reply) => {
    if (!isFromProgram(raw)) return reply.code(403).send('The emulated KMS does not serve web pages.\n');
  });
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('application/x-amz-json-1.1', { parseAs: 'string' }, (_, body, done) => done(null, body));
  server.post('/', async (request, reply) => {
    const response = call(String(request.headers['x-amz-target']), JSON.parse(String(request.body)), keys);
    reply.code('__type' in response ? 400 : 200).type('application/x-amz-json-1.1');
    return JSON.stringify(response);
  });
  const url = await server.listen({ host: '127.0.0.1', port: 0 });
  return { url, close: () => server.close() };
}

type KmsResponse = Readonly<Record<string, unknown>>;

function call(target: string, input: unknown, keys: ReadonlyMap<string, KeyObject>): KmsResponse {
  const { KeyId, Message } = Call.parse(input);
  const id = KeyId.replace(/^arn:.*:key\//, '');
  const key = keys.get(id);
  if (key === undefined) return failure('NotFoundException', `Key '${id}' does not exist`);
  const arn = `arn:aws:kms:${LOCAL_REGION}:${LOCAL_ACCOUNT}:key/${id}`;
  const message = Buffer.from(Message, 'base64');
  switch (target) {
    case 'TrentService.GenerateMac':
      return {
        KeyId: arn,
        Mac: createHmac('sha256', key).update(message).digest('base64'),
        MacAlgorithm: 'HMAC_SHA_256',
      };
    case 'TrentService.GetPublicKey':
      return publicKey(key, arn);
    case 'TrentService.Sign':
      return { KeyId: arn, Signature: sign(message, key), SigningAlgorithm: ALGORITHM };
    default:
      return failure('UnknownOperationException', `${target} is not emulated`);
  }
}

function publicKey(key: KeyObject, arn: string): KmsResponse {
  return {
    KeyId: arn,
    KeySpec: 'ECC_NIST_P256',
    KeyUsage: 'SIGN_VERIFY',
    CustomerMasterKeySpec: 'ECC_NIST_P256',
    SigningAlgorithms: [ALGORITHM],
    PublicKey: createPublicKey(key).export({ type: 'spki', format: 'der' }).toString('base64'),
  };
}

/** @returns the signature in base64. node:crypto cannot sign a precomputed digest; KMS returns DER and does not normalize s */
function sign(digest: Buffer, key: KeyObject): string {
  const secret = Buffer.from(key.export({ format: 'jwk' }).d ?? '', 'base64url');
  return Buffer.from(p256.sign(digest, secret, { prehash: false, lowS: false, format: 'der' })).toString('base64');
}

function failure(type: string, message: string): KmsResponse {
  return { __type: type, message };
}

/** @returns a new key, which is not stored */
export function generateKey(): KeyObject {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
}

/** @returns the key in the PEM file. Creates the file if it does not exist, atomically and readable by its owner only. */
export function keyInFile(file: string): KeyObject {
  try {
    return createPrivateKey(readFileSync(file));
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
  }
  const key = generateKey();
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, key.export({ type: 'pkcs8', format: 'pem' }), { mode: OWNER_ONLY });
  renameSync(draft, file);
  return key;
}
