import { createHmac, createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { p256 } from '@noble/curves/nist.js';
import fastify from 'fastify';
import * as z from 'zod';
import { LOCAL_ACCOUNT, LOCAL_REGION } from '../definition/local-account.ts';
import { isFromProgram } from './loopback-host.ts';

export interface KmsEndpoint {
  readonly url: string;
  close(): Promise<void>;
}

const ALGORITHM = 'ECDSA_SHA_256';
const SHA256_BYTES = 32;
const OWNER_ONLY = 0o600;

const Call = z.object({ KeyId: z.string() });
const SignCall = Call.extend({
  Message: z.base64(),
  MessageType: z.literal('DIGEST', 'is emulated only for DIGEST'),
  SigningAlgorithm: z.literal(ALGORITHM),
});
const MacCall = Call.extend({ Message: z.base64(), MacAlgorithm: z.literal('HMAC_SHA_256') });

/**
 * Opens an emulated KMS on loopback. It supports the SDK's protocol for two kinds of keys: P-256 with `Sign` of a digest and
 * `GetPublicKey`, and secrets with `GenerateMac`.
 * @param keys private and secret keys by id
 */
export async function openKms(keys: ReadonlyMap<string, KeyObject>): Promise<KmsEndpoint> {
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
  const read = Call.safeParse(input);
  const id = read.data?.KeyId.replace(/^arn:.*:key\//, '') ?? '';
  const key = keys.get(id);
  if (key === undefined) return failure('NotFoundException', `Key '${id}' does not exist`);
  const arn = `arn:aws:kms:${LOCAL_REGION}:${LOCAL_ACCOUNT}:key/${id}`;
  if (target === 'TrentService.GenerateMac') return generateMac(input, key, arn);
  if (target === 'TrentService.GetPublicKey') return publicKey(key, arn);
  if (target === 'TrentService.Sign') return sign(input, key, arn);
  return failure('UnknownOperationException', `${target} is not emulated`);
}

function publicKey(key: KeyObject, arn: string): KmsResponse {
  if (key.type === 'secret') return failure('UnsupportedOperationException', `${arn} has no public key`);
  return {
    KeyId: arn,
    KeySpec: 'ECC_NIST_P256',
    KeyUsage: 'SIGN_VERIFY',
    CustomerMasterKeySpec: 'ECC_NIST_P256',
    SigningAlgorithms: [ALGORITHM],
    PublicKey: createPublicKey(key).export({ type: 'spki', format: 'der' }).toString('base64'),
  };
}

function generateMac(input: unknown, key: KeyObject, arn: string): KmsResponse {
  const read = MacCall.safeParse(input);
  if (!read.success) return invalid(read.error);
  if (key.type !== 'secret') return failure('InvalidKeyUsageException', `${arn} key usage is SIGN_VERIFY`);
  const { Message, MacAlgorithm } = read.data;
  const mac = createHmac('sha256', key).update(Message, 'base64').digest('base64');
  return { KeyId: arn, Mac: mac, MacAlgorithm };
}

function sign(input: unknown, key: KeyObject, arn: string): KmsResponse {
  const read = SignCall.safeParse(input);
  if (!read.success) return invalid(read.error);
  if (key.type === 'secret') return failure('InvalidKeyUsageException', `${arn} key usage is GENERATE_VERIFY_MAC`);
  const digest = Buffer.from(read.data.Message, 'base64');
  if (digest.length !== SHA256_BYTES) return failure('ValidationException', 'Digest is invalid length for algorithm');
  const secret = Buffer.from(key.export({ format: 'jwk' }).d ?? '', 'base64url');
  // node:crypto cannot sign a precomputed digest; KMS returns DER and does not normalize s
  const signature = p256.sign(digest, secret, { prehash: false, lowS: false, format: 'der' });
  return { KeyId: arn, Signature: Buffer.from(signature).toString('base64'), SigningAlgorithm: ALGORITHM };
}

function invalid({ issues }: z.ZodError): KmsResponse {
  return failure('ValidationException', issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; '));
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
