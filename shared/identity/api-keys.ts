import { createHash, randomBytes } from 'node:crypto';
import { type Clock, systemClock } from '../lib/clock.ts';
import type { Table } from '../store/table/client.ts';
import { type Item, numberIn, textIn } from '../store/table/item.ts';
import { apiKeyKey, userApiKeyKey, userApiKeysPk } from '../store/table/keys.ts';

/** The stored record of a key; the key itself is never stored. */
export interface ApiKey {
  /** Identifies the key among the user's keys: the first 12 digits of its SHA-256. */
  readonly id: string;
  readonly userId: string;
  /** This and the other times in milliseconds since 1970. */
  readonly createdAt: number;
  readonly expiresAt: number;
  /** Absent unless the key has been revoked. */
  readonly revokedAt?: number;
}

export interface CreateKeyOptions {
  /** Days until the key expires, in (0, 3650]; default 365. */
  readonly days?: number;
  /** A fixed key, for the demo only; random by default. */
  readonly key?: string;
  readonly clock?: Clock;
}

/** Two, so that a key can be rotated without an interruption. */
const MAX_VALID_KEYS = 2;
const DAY_MS = 86_400_000;
const DEFAULT_DAYS = 365;
const MAX_DAYS = 3_650;
const ID_LENGTH = 12;

/**
 * Creates a key for the user; it is valid immediately.
 * @returns the key, which cannot be shown again, and its record
 * @throws Error if the user has two valid keys, or `days` is not in (0, 3650]; no key is created then
 */
export async function createKey(
  table: Table,
  userId: string,
  options: CreateKeyOptions = {},
): Promise<{ readonly key: string; readonly record: ApiKey }> {
  const { days = DEFAULT_DAYS, key = `ecap_${randomBytes(32).toString('base64url')}`, clock = systemClock } = options;
  if (!(days > 0 && days <= MAX_DAYS))
    throw new Error(`a key must be valid for more than 0 days and at most ${MAX_DAYS}`);
  const digest = digestOf(key);
  const createdAt = clock();
  const expiresAtMs = createdAt + days * DAY_MS;
  const expiresAt = Math.ceil(expiresAtMs / 1000); // the table's TTL attribute, in seconds
  await rejectThirdKey(table, userId, digest, clock());
  // the list entry is written first, so that every valid key is listed
  await table.put({ ...userApiKeyKey(userId, digest), expiresAt });
  const item = { ...apiKeyKey(digest), userId, createdAt, expiresAtMs, expiresAt };
  const unlessTaken = { text: 'attribute_not_exists(pk) OR #userId = :userId', values: { userId } };
  if (!(await table.put(item, unlessTaken))) throw new Error('the key already belongs to another user');
  // of keys that are created concurrently, each may be the third; each call removes its own key then
  await rejectThirdKey(table, userId, digest, clock()).catch(async (error: unknown) => {
    await table.deleteMany([apiKeyKey(digest), userApiKeyKey(userId, digest)]);
    throw error;
  });
  return { key, record: { id: digest.slice(0, ID_LENGTH), userId, createdAt, expiresAt: expiresAtMs } };
}

/** @returns the user's keys, oldest first, including revoked and expired ones until the table's TTL removes them */
export async function listKeys(table: Table, userId: string): Promise<ApiKey[]> {
  const stored = await readKeys(table, userId);
  return stored.map(({ record }) => record).sort((a, b) => a.createdAt - b.createdAt);
}

/**
 * Revokes a key permanently; every instance rejects it within 60 seconds.
 * @param id as in the record of the key
 * @returns whether the user has a key with this id
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

/** @returns the record of the key, even if the key is no longer valid. Costs one read. */
export async function findKey(table: Table, key: string): Promise<ApiKey | undefined> {
  const digest = digestOf(key);
  const item = await table.get(apiKeyKey(digest), { consistent: true });
  return item === undefined ? undefined : parseKey(item, digest);
}

/** @returns why the key is not valid at `now`, or undefined if it is */
export function whyInvalid(record: ApiKey, now: number): string | undefined {
  if (record.revokedAt !== undefined) return 'The API key has been revoked.';
  return record.expiresAt <= now ? 'The API key has expired.' : undefined;
}

/** @returns the SHA-256 of the key, in hex; the service stores and caches nothing else of a key */
export function digestOf(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}

async function rejectThirdKey(table: Table, userId: string, digest: string, now: number): Promise<void> {
  const stored = await readKeys(table, userId);
  const others = stored.filter((key) => key.digest !== digest && whyInvalid(key.record, now) === undefined);
  if (others.length < MAX_VALID_KEYS) return;
  const ids = others.map(({ record }) => record.id).join(' and ');
  throw new Error(`the user ${userId} already has two valid keys, ${ids}: revoke one first`);
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
