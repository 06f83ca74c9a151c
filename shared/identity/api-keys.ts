import { createHash, randomBytes } from 'node:crypto';
import { type Clock, systemClock } from '../lib/clock.ts';
import type { Table } from '../store/table/client.ts';
import { type Item, numberIn, textIn } from '../store/table/item.ts';
import { apiKeyKey, userApiKeyKey, userApiKeysPk } from '../store/table/keys.ts';

/** A key as it is stored: never the key itself. */
export interface ApiKey {
  /** Tells a user's keys apart; the start of the key's SHA-256. */
  readonly id: string;
  readonly userId: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly revokedAt?: number;
}

export interface CreateKeyOptions {
  /** Days until it expires, of (0, 3650]; 365 unless given. */
  readonly days?: number;
  /** The key itself, for demonstrations only; random unless given. */
  readonly key?: string;
  readonly clock?: Clock;
}

/** So that a key can be replaced without a gap. */
const MAX_LIVE_KEYS = 2;
const DAY_MS = 86_400_000;
const DEFAULT_DAYS = 365;
/** Ten years. */
const MAX_DAYS = 3_650;
const ID_LENGTH = 12;

/**
 * Makes a key for the user, in force at once.
 * @returns the key, which nobody can show again, and its record
 * @throws Error when the user has two live keys, or `days` is not of (0, 3650]; nothing is made then
 */
export async function createKey(
  table: Table,
  userId: string,
  options: CreateKeyOptions = {},
): Promise<{ readonly key: string; readonly record: ApiKey }> {
  const { days = DEFAULT_DAYS, key = `ecap_${randomBytes(32).toString('base64url')}`, clock = systemClock } = options;
  if (!(days > 0 && days <= MAX_DAYS)) throw new Error(`a key is valid for more than 0 days, and at most ${MAX_DAYS}`);
  const digest = digestOf(key);
  const createdAt = clock();
  const expiresAtMs = createdAt + days * DAY_MS;
  const expiresAt = Math.ceil(expiresAtMs / 1000); // what the table forgets it by, in seconds
  await refuseThird(table, userId, digest, clock());
  // first where it is listed, so that no key works that is not listed
  await table.put({ ...userApiKeyKey(userId, digest), expiresAt });
  const item = { ...apiKeyKey(digest), userId, createdAt, expiresAtMs, expiresAt };
  const mine = { text: 'attribute_not_exists(pk) OR #userId = :userId', values: { userId } };
  if (!(await table.put(item, mine))) throw new Error('the key is another user’s already');
  // two that are made at the same time may each be one too many: each takes back its own
  await refuseThird(table, userId, digest, clock()).catch(async (error: unknown) => {
    await table.deleteMany([apiKeyKey(digest), userApiKeyKey(userId, digest)]);
    throw error;
  });
  return { key, record: { id: digest.slice(0, ID_LENGTH), userId, createdAt, expiresAt: expiresAtMs } };
}

/** @returns the user's keys, oldest first, those that were revoked or have expired among them until the table forgets them. */
export async function listKeys(table: Table, userId: string): Promise<ApiKey[]> {
  const stored = await readKeys(table, userId);
  return stored.map(({ record }) => record).sort((a, b) => a.createdAt - b.createdAt);
}

/**
 * Revokes a key for good, everywhere within 60 seconds.
 * @param id as `createKey` and `listKeys` give it
 * @returns whether the user has such a key
 */
export async function revokeKey(
  table: Table,
  userId: string,
  id: string,
  clock: Clock = systemClock,
): Promise<boolean> {
  const stored = await readKeys(table, userId);
  const found = stored.find(({ record }) => record.id === id);
  if (found === undefined) return false;
  if (found.record.revokedAt !== undefined) return true;
  return table.update(
    apiKeyKey(found.digest),
    { text: 'SET #revokedAt = :at', values: { at: clock() } },
    { text: 'attribute_exists(#userId)' },
  );
}

/** @returns the record of the key, whether or not it is still in force. One read. */
export async function findKey(table: Table, key: string): Promise<ApiKey | undefined> {
  const digest = digestOf(key);
  const item = await table.get(apiKeyKey(digest), { consistent: true });
  return item === undefined ? undefined : parseKey(item, digest);
}

/** @returns why the key is not in force at the time, undefined while it is. */
export function whyNotInForce(record: ApiKey, now: number): string | undefined {
  if (record.revokedAt !== undefined) return 'The API key has been revoked.';
  return record.expiresAt <= now ? 'The API key has expired.' : undefined;
}

/** @returns the SHA-256 of the key: all that the service keeps of it, on disk and in memory. */
export function digestOf(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}

async function refuseThird(table: Table, userId: string, digest: string, now: number): Promise<void> {
  const stored = await readKeys(table, userId);
  const others = stored.filter((it) => it.digest !== digest && whyNotInForce(it.record, now) === undefined);
  if (others.length < MAX_LIVE_KEYS) return;
  const ids = others.map(({ record }) => record.id).join(' and ');
  throw new Error(`the user ${userId} has two live keys, ${ids}: revoke one first`);
}

async function readKeys(table: Table, userId: string): Promise<{ digest: string; record: ApiKey }[]> {
  const listed = await table.query({ pk: userApiKeysPk(userId), consistent: true });
  const digests = listed.map(({ sk }) => sk);
  const items = await table.getMany(digests.map(apiKeyKey), { consistent: true });
  return items.flatMap((item, index) => {
    const digest = digests[index];
    return item === undefined || digest === undefined ? [] : [{ digest, record: parseKey(item, digest) }];
  });
}

function parseKey(item: Item, digest: string): ApiKey {
  return {
    id: digest.slice(0, ID_LENGTH),
    userId: textIn(item, 'userId'),
    createdAt: numberIn(item, 'createdAt'),
    expiresAt: numberIn(item, 'expiresAtMs'),
    ...(item.revokedAt === undefined ? {} : { revokedAt: numberIn(item, 'revokedAt') }),
  };
}
