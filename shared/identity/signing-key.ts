import type { webcrypto } from 'node:crypto';
import { GetPublicKeyCommand, KMSClient, SignCommand } from '@aws-sdk/client-kms';
import { calculateJwkThumbprint, exportJWK } from 'jose';
import { type Clock, elapsedClock } from '../lib/clock.ts';
import { ApiError } from '../lib/errors.ts';
import { RequestHandler } from '../lib/sdk/request-handler.ts';
import { ATTEMPT_MS, requestLimits } from '../lib/sdk/request-limits.ts';
import { isUnreachable } from '../store/table/store-errors.ts';
import { derToRaw } from './der.ts';

/** A public key that tokens are verified with. */
export interface PublicKey {
  /** JWK thumbprint (RFC 7638). */
  readonly kid: string;
  readonly key: webcrypto.CryptoKey;
}

/** The key pair that tokens are signed with; the private key never leaves KMS. */
export interface SigningKey {
  /** @returns the public key; it is fetched once per instance. A failure is cached for a second. */
  publicKey(): Promise<PublicKey>;
  /**
   * @param digest SHA-256 of the signed text
   * @returns r‖s, 64 bytes
   */
  sign(digest: Uint8Array): Promise<Uint8Array>;
}

/** The keys of the platform: one signs tokens, and tokens signed with any of them are accepted. */
export interface SigningKeys {
  readonly current: SigningKey;
  /**
   * @returns the accepted public key with this id; undefined if there is none
   * @throws ApiError STORE_BUSY if none of the fetched keys has this id, and another key cannot be fetched at the moment
   */
  find(kid: string | undefined): Promise<PublicKey | undefined>;
  /**
   * @returns all accepted public keys as JWKs (RFC 7517), without those that are unusable
   * @throws ApiError STORE_BUSY if one of the others cannot be fetched at the moment
   */
  listPublished(): Promise<Awaited<ReturnType<typeof publish>>[]>;
}

/** How long a failure is cached: anonymous requests must not each call KMS. */
const FAILURE_MS = 1_000;

/**
 * @param keyIds ids or ARNs of ECC_NIST_P256 keys, separated by commas: the key that signs, then the others whose tokens are accepted
 * @returns the keys; while KMS is throttled or unreachable, methods that have to call it throw ApiError STORE_BUSY
 */
export function openSigningKeys(keyIds: string, clock: Clock = elapsedClock): SigningKeys {
  const client = new KMSClient({ requestHandler: new RequestHandler(requestLimits(ATTEMPT_MS)) });
  const [currentId = '', ...acceptedIds] = keyIds.split(',');
  const current = openSigningKey(client, currentId, clock);
  const keys = [current, ...acceptedIds.map((id) => openSigningKey(client, id, clock))];
  /** @returns undefined if the key is unusable. A deployment that removes an accepted key first takes its permission from the functions that still accept it. */
  const fetchUsable = (key: SigningKey): Promise<PublicKey | undefined> =>
    key.publicKey().catch((error: unknown) => {
      if (isUnusable(error) || (key !== current && isDenied(error))) return undefined;
      throw error;
    });
  return {
    current,
    find: async (kid) => {
      const failures: unknown[] = [];
      const fetched = keys.map(async (key) => {
        const found = await fetchUsable(key).catch((error: unknown) => void failures.push(error));
        return found?.kid === kid ? found : Promise.reject();
      });
      // the first match is returned without waiting for keys that cannot be fetched
      const found = await Promise.any(fetched).catch(() => undefined);
      if (found === undefined && failures.length > 0) throw failures[0];
      return found;
    },
    listPublished: async () => {
      const fetched = await Promise.all(keys.map(fetchUsable));
      return Promise.all(fetched.flatMap((key) => (key === undefined ? [] : publish(key))));
    },
  };
}

async function publish({ kid, key }: PublicKey) {
  const { kty, crv, x, y } = await exportJWK(key);
  if (kty === undefined || crv === undefined || x === undefined || y === undefined)
    throw new Error(`the signing key ${kid} is not an elliptic-curve key`);
  return { kty, crv, x, y, kid, alg: 'ES256', use: 'sig' } as const;
}

function openSigningKey(client: KMSClient, keyId: string, clock: Clock): SigningKey {
  let fetched: Promise<PublicKey> | undefined;
  let failedUntil = Number.POSITIVE_INFINITY;
  return {
    publicKey: () => {
      if (clock() >= failedUntil) fetched = undefined;
      if (fetched !== undefined) return fetched;
      failedUntil = Number.POSITIVE_INFINITY;
      fetched = fetchPublicKey(client, keyId).catch((error: unknown) => {
        failedUntil = clock() + FAILURE_MS;
        throw toApiError(error);
      });
      return fetched;
    },
    sign: async (digest) => {
      const command = new SignCommand({
        KeyId: keyId,
        Message: digest,
        MessageType: 'DIGEST', // a token may exceed the limit for raw messages, 4,096 bytes
        SigningAlgorithm: 'ECDSA_SHA_256',
      });
      const { Signature } = await client.send(command).catch((error: unknown) => {
        throw toApiError(error);
      });
      if (Signature === undefined) throw new Error('the response of KMS has no signature');
      return derToRaw(Signature);
    },
  };
}

async function fetchPublicKey(client: KMSClient, keyId: string): Promise<PublicKey> {
  const { PublicKey: der } = await client.send(new GetPublicKeyCommand({ KeyId: keyId }));
  if (der === undefined) throw new Error('the response of KMS has no public key');
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256' };
  const key = await crypto.subtle.importKey('spki', new Uint8Array(der), algorithm, true, ['verify']);
  return { kid: await calculateJwkThumbprint(await exportJWK(key)), key };
}

/** The errors of KMS for a key that an operator has disabled or is deleting, for example because it was compromised. */
const UNUSABLE_KEY_ERRORS: ReadonlySet<string> = new Set([
  'DisabledException',
  'KMSInvalidStateException',
  'NotFoundException',
]);

const isUnusable = (error: unknown): boolean => error instanceof Error && UNUSABLE_KEY_ERRORS.has(error.name);
const isDenied = (error: unknown): boolean => error instanceof Error && error.name === 'AccessDeniedException';

const BUSY_ERRORS: ReadonlySet<string> = new Set([
  'ThrottlingException',
  'LimitExceededException',
  'DependencyTimeoutException',
  'KMSInternalException',
  'KeyUnavailableException',
]);

function toApiError(error: unknown): unknown {
  if (!(error instanceof Error) || !(BUSY_ERRORS.has(error.name) || isUnreachable(error))) return error;
  const detail = 'The signing key cannot be reached at the moment. Try again in a second.';
  return new ApiError('STORE_BUSY', detail, { headers: { 'Retry-After': '1' }, cause: error });
}
