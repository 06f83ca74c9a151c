import { DAY_MS } from '../lib/calendar.ts';
import { type Clock, systemClock } from '../lib/clock.ts';
import { apiKeyKey, userApiKeyKey, userApiKeysPk } from '../store/table/item-keys.ts';
import type { Table } from '../store/table/table.ts';
import {
  type ApiKey,
  attributesOf,
  checkUrlKey,
  digestOf,
  explainInvalid,
  generateKey,
  idOf,
  parseKey,
  URL_KEY_DAYS,
} from './keys/key-record.ts';
import { checkAddressRange, KEY_LIMIT_NAMES, type KeyAttributes } from './keys/key-rights.ts';
import { setLastUsedExpiry } from './last-used.ts';

export interface CreateKeyOptions extends KeyAttributes, ChangeOptions {
  /** Days until the key expires, in (0, 3650]; default 365, for URLs 90. */
  readonly days?: number;
  /** Whether the key may be in URLs (`checkUrlKey`); its scope is report by default. */
  readonly isForUrls?: true | undefined;
  /** A fixed key, for the demo only; random by default. */
  readonly key?: string;
}

interface ChangeOptions {
  readonly clock?: Clock;
  /** Valid keys that the user may have afterwards; default DEFAULT_MAX_KEYS. */
  readonly maxKeys?: number;
  /** Records the change of the key with this id. Called before it is written, so that an interruption leaves none unrecorded; the change may still fail. */
  readonly record?: (id: string) => Promise<void>;
}

/** New values of attributes; null removes the attribute. Absent members stay as they are. */
export type KeyChange = { readonly [Name in keyof KeyAttributes]: KeyAttributes[Name] | null } & {
  /** Days from now until the key expires, in (0, 3650]. */
  readonly days?: number;
};

export interface CreatedKey {
  /** It cannot be shown again. */
  readonly key: string;
  readonly record: ApiKey;
}

export const DEFAULT_MAX_KEYS = 10;
const DEFAULT_DAYS = 365;
export const MAX_DAYS = 3_650;

/**
 * Creates a key for the user; it is valid immediately.
 * @throws Error if the user would have more than `maxKeys` valid keys, an option is not valid, or the key belongs to another user; no key is created then
 */
export async function createKey(table: Table, userId: string, options: CreateKeyOptions = {}): Promise<CreatedKey> {
  const { isForUrls, key = generateKey(), clock = systemClock, maxKeys, record, ...rest } = options;
  const { days = isForUrls === true ? URL_KEY_DAYS : DEFAULT_DAYS, ...given } = rest;
  const digest = digestOf(key);
  const createdAt = clock();
  const { expiresAtMs, expiresAt } = expiryOf(createdAt, days);
  const ofKind = isForUrls === true ? { isForUrls, scopes: ['report'] as const } : {};
  const created = { userId, createdAt, expiresAt: expiresAtMs, ...ofKind, ...checkAttributes(given) };
  checkUrlKey(created);
  await rejectExcessKey(table, userId, digest, clock(), maxKeys);
  await record?.(idOf(digest));
  // the list entry is written first, so that every valid key is listed
  await table.put({ ...userApiKeyKey(userId, digest), expiresAt });
  const item = { ...apiKeyKey(digest), ...created, expiresAtMs, expiresAt };
  const unlessTaken = { text: 'attribute_not_exists(pk) OR #userId = :userId', values: { userId } };
  if (!(await table.put(item, unlessTaken))) {
    await table.deleteMany([userApiKeyKey(userId, digest)]);
    throw new Error('the key already belongs to another user');
  }
  // keys that are created concurrently may be too many together; each call removes its own key then
  await rejectExcessKey(table, userId, digest, clock(), maxKeys).catch(async (error: unknown) => {
    await table.deleteMany([apiKeyKey(digest), userApiKeyKey(userId, digest)]);
    throw error;
  });
  return { key, record: { id: idOf(digest), digest, ...created } };
}

/** @returns the user's keys, oldest first, including revoked and expired ones until the table's TTL removes them */
export async function listKeys(table: Table, userId: string): Promise<ApiKey[]> {
  const listed = await table.query({ pk: userApiKeysPk(userId), consistent: true });
  const digests = listed.map(({ sk }) => sk);
  const items = await table.getMany(digests.map(apiKeyKey), { consistent: true });
  const keys = items.flatMap((item, index) => {
    const digest = digests[index];
    return item === undefined || digest === undefined ? [] : [parseKey(item, digest)];
  });
  return keys.sort((a, b) => a.createdAt - b.createdAt);
}

/**
 * Changes attributes of a key; every instance applies them within 10 seconds.
 * @param id as in the record of the key
 * @returns the changed record; undefined if the user has no key with this id
 * @throws Error if a new value is not valid, or not for a key for URLs, or the user would have more than `maxKeys` valid keys; nothing is changed then
 */
export async function setKey(
  table: Table,
  userId: string,
  id: string,
  { days, ...change }: KeyChange,
  { clock = systemClock, maxKeys, record }: ChangeOptions = {},
): Promise<ApiKey | undefined> {
  checkAttributes(Object.fromEntries(Object.entries(change).filter(([, value]) => value !== null)));
  const expiry = days === undefined ? undefined : expiryOf(clock(), days);
  const found = await findById(table, userId, id);
  if (found === undefined) return undefined;
  const changes = Object.entries(change).map(([name, value]) => [name, value ?? undefined]);
  checkUrlKey({ ...found, ...Object.fromEntries(changes), ...(expiry && { expiresAt: expiry.expiresAtMs }) });
  // an expired key becomes valid again, a revoked one does not
  if (expiry !== undefined && found.revokedAt === undefined)
    await rejectExcessKey(table, userId, found.digest, clock(), maxKeys);
  await record?.(id);
  const list = async () => {
    if (expiry === undefined) return;
    await table.put({ ...userApiKeyKey(userId, found.digest), expiresAt: expiry.expiresAt });
    await setLastUsedExpiry(table, found.digest, expiry.expiresAt);
  };
  // in this order, the key is listed until it expires even if the second write fails
  const isLater = expiry !== undefined && expiry.expiresAtMs > found.expiresAt;
  if (isLater) await list();
  await updateKey(table, found.digest, { ...change, ...expiry });
  if (!isLater) await list();
  return findById(table, userId, id);
}

/**
 * Creates a key of the same kind, with the same label, restrictions and limits. The old key stays valid, so that the caller can change over.
 * @param options.overlapDays days until the old key expires, if it does not expire earlier; in (0, 3650]
 * @returns the new key; undefined if the user has no key with this id
 * @throws Error if the key is no longer valid, the user would have more than `maxKeys` valid keys, or an option is not valid; nothing is changed then
 */
export async function rotateKey(
  table: Table,
  userId: string,
  id: string,
  options: { readonly overlapDays: number; readonly days?: number } & ChangeOptions,
): Promise<CreatedKey | undefined> {
  const { overlapDays, clock = systemClock, ...rest } = options;
  const found = await findById(table, userId, id);
  if (found === undefined) return undefined;
  const reason = explainInvalid(found, clock());
  if (reason !== undefined) throw new Error(`${reason} Create a new key instead.`);
  const expiry = expiryOf(clock(), overlapDays);
  const created = await createKey(table, userId, {
    ...attributesOf(found),
    isForUrls: found.isForUrls,
    ...rest,
    clock,
  });
  if (expiry.expiresAtMs < found.expiresAt) {
    await updateKey(table, found.digest, expiry);
    await table.put({ ...userApiKeyKey(userId, found.digest), expiresAt: expiry.expiresAt });
  }
  return created;
}

/**
 * Revokes a key permanently; every instance rejects it within 10 seconds.
 * @param id as in the record of the key
 * @returns whether the user has a key with this id
 */
export async function revokeKey(
  table: Table,
  userId: string,
  id: string,
  { clock = systemClock, record }: ChangeOptions = {},
): Promise<boolean> {
  const found = await findById(table, userId, id);
  if (found === undefined) return false;
  if (found.revokedAt !== undefined) return true;
  await record?.(id);
  return updateKey(table, found.digest, { revokedAt: clock() });
}

/** Sets attributes, or removes those that are null. @returns whether the key still exists */
function updateKey(table: Table, digest: string, change: Readonly<Record<string, unknown>>): Promise<boolean> {
  const changed = Object.entries(change).filter(([, value]) => value !== undefined);
  const set = changed.filter(([, value]) => value !== null);
  const removed = changed.filter(([, value]) => value === null);
  const clauses = [
    ...(set.length === 0 ? [] : [`SET ${set.map(([name]) => `#${name} = :${name}`).join(', ')}`]),
    ...(removed.length === 0 ? [] : [`REMOVE ${removed.map(([name]) => `#${name}`).join(', ')}`]),
  ];
  if (clauses.length === 0) return Promise.resolve(true);
  const expression = { text: clauses.join(' '), values: Object.fromEntries(set) };
  return table.update(apiKeyKey(digest), expression, { text: 'attribute_exists(#userId)' });
}

async function findById(table: Table, userId: string, id: string): Promise<ApiKey | undefined> {
  const keys = await listKeys(table, userId);
  return keys.find((key) => key.id === id);
}

async function rejectExcessKey(
  table: Table,
  userId: string,
  digest: string,
  now: number,
  maxKeys = DEFAULT_MAX_KEYS,
): Promise<void> {
  const keys = await listKeys(table, userId);
  const others = keys.filter((key) => key.digest !== digest && explainInvalid(key, now) === undefined);
  if (others.length < maxKeys) return;
  throw new Error(
    `the user ${userId} already has ${others.length} valid keys: revoke one first, or allow more with --max-keys`,
  );
}

/** @returns the time of expiry, and the same in seconds for the table's TTL */
function expiryOf(now: number, days: number): { readonly expiresAtMs: number; readonly expiresAt: number } {
  if (!(days > 0 && days <= MAX_DAYS))
    throw new Error(`a key must be valid for more than 0 days and at most ${MAX_DAYS}`);
  const expiresAtMs = now + days * DAY_MS;
  return { expiresAtMs, expiresAt: Math.ceil(expiresAtMs / 1000) };
}

function checkAttributes(attributes: KeyAttributes): KeyAttributes {
  const { label = '', scopes, accountIds, addresses } = attributes;
  if (/\p{Cc}/u.test(label)) throw new Error('the label of a key must have no control characters, such as line breaks');
  for (const [name, list] of Object.entries({ scopes, accountIds, addresses })) {
    if (list?.length === 0) throw new Error(`the list of ${name} of a key must not be empty`);
  }
  for (const name of KEY_LIMIT_NAMES) {
    const value = attributes[name] ?? 1;
    if (!Number.isSafeInteger(value) || value < 1)
      throw new Error(`the limit ${name} of a key must be an integer from 1`);
  }
  for (const range of addresses ?? []) checkAddressRange(range);
  return attributes;
}
