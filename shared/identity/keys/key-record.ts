import { createHash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { DAY_MS } from '../../lib/calendar.ts';
import { type Item, listIn, numberIn, textIn } from '../../store/table/item.ts';
import { apiKeyKey } from '../../store/table/item-keys.ts';
import type { Table } from '../../store/table/table.ts';
import { KEY_LIMIT_NAMES, type KeyAttributes, limitsOf, SCOPES } from './key-rights.ts';

/** The stored record of a key; the key itself is never stored. */
export interface ApiKey extends KeyAttributes {
  /** Identifies the key among the user's keys: the first 12 digits of its SHA-256. */
  readonly id: string;
  /** SHA-256 of the key, in hex. */
  readonly digest: string;
  readonly userId: string;
  /** This and the other times in milliseconds since 1970. */
  readonly createdAt: number;
  readonly expiresAt: number;
  /** Absent unless the key has been revoked. */
  readonly revokedAt?: number;
  /** Present if the key was made for URLs, which others see: it is for reports only, of some accounts, and valid for URL_KEY_DAYS at most. */
  readonly isForUrls?: true;
}

const ID_LENGTH = 12;

/** Maximum days for which a key for URLs is valid. */
export const URL_KEY_DAYS = 90;

/** @returns the SHA-256 of the key, in hex; the table and the caches hold nothing else of a key */
export function digestOf(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}

/** @returns the id of the key with this digest */
export function idOf(digest: string): string {
  return digest.slice(0, ID_LENGTH);
}

/** @returns the record of the key, even if the key is no longer valid. Costs one read. */
export async function findKey(table: Table, digest: string): Promise<ApiKey | undefined> {
  const item = await table.get(apiKeyKey(digest), { consistent: true });
  return item === undefined ? undefined : parseKey(item, digest);
}

/** @returns why the key is not valid at `now`, or undefined if it is */
export function explainInvalid(record: ApiKey, now: number): string | undefined {
  if (record.revokedAt !== undefined) return 'The API key has been revoked.';
  return record.expiresAt <= now ? 'The API key has expired.' : undefined;
}

/** @throws Error if the key is for URLs, and may do more than such keys */
export function checkUrlKey({
  isForUrls,
  scopes,
  accountIds,
  createdAt,
  expiresAt,
}: Omit<ApiKey, 'id' | 'digest'>): void {
  if (isForUrls === undefined) return;
  const isOfReports = scopes?.every((scope) => scope === 'report') === true;
  if (isOfReports && accountIds !== undefined && expiresAt - createdAt <= URL_KEY_DAYS * DAY_MS) return;
  throw new Error(
    `a key for URLs, which others may see, needs the scope report, a list of accounts, and at most ${URL_KEY_DAYS} days from its creation to its expiry`,
  );
}

export function parseKey(item: Item, digest: string): ApiKey {
  return {
    id: idOf(digest),
    digest,
    userId: textIn(item, 'userId'),
    createdAt: numberIn(item, 'createdAt'),
    expiresAt: numberIn(item, 'expiresAtMs'),
    ...(item.revokedAt === undefined ? {} : { revokedAt: numberIn(item, 'revokedAt') }),
    ...(item.isForUrls === true ? { isForUrls: true } : {}),
    ...parseAttributes(item),
  };
}

/** @returns only the attributes of the key */
export function attributesOf(record: KeyAttributes): KeyAttributes {
  const { label, scopes, accountIds, addresses } = record;
  return {
    ...limitsOf(record),
    ...(label === undefined ? {} : { label }),
    ...(scopes === undefined ? {} : { scopes }),
    ...(accountIds === undefined ? {} : { accountIds }),
    ...(addresses === undefined ? {} : { addresses }),
  };
}

function parseAttributes(item: Item): KeyAttributes {
  const limited = KEY_LIMIT_NAMES.filter((name) => item[name] !== undefined);
  return {
    ...Object.fromEntries(limited.map((name) => [name, numberIn(item, name)])),
    ...(item.label === undefined ? {} : { label: textIn(item, 'label') }),
    // scopes that this version does not have allow nothing here
    ...(item.scopes === undefined ? {} : { scopes: SCOPES.filter((scope) => listIn(item, 'scopes').includes(scope)) }),
    ...(item.accountIds === undefined ? {} : { accountIds: listIn(item, 'accountIds').map(Number) }),
    ...(item.addresses === undefined ? {} : { addresses: listIn(item, 'addresses').map(String) }),
  };
}

/**
 * The form of a generated key, for secret scanners: `ecap_`, 43 random digits in base 62 (256 bits), and 6 digits in base 62 with the CRC-32 of all that
 * precedes them. The demo's fixed keys do not match it, but are accepted.
 */
export const KEY_PATTERN = /^ecap_[0-9A-Za-z]{49}$/;

export const KEY_PREFIX = 'ecap_';
const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const RANDOM_DIGITS = 43;
const CHECKSUM_DIGITS = 6;

export function generateKey(): string {
  const random = Array.from({ length: RANDOM_DIGITS }, () => DIGITS[randomInt(DIGITS.length)]).join('');
  return `${KEY_PREFIX}${random}${checksumOf(`${KEY_PREFIX}${random}`)}`;
}

/**
 * @returns whether the text begins like a key and is longer than the demo's fixed keys, but has no valid checksum: no such key was ever created, so the
 * table need not be read
 */
export function isMistyped(key: string): boolean {
  if (!key.startsWith(KEY_PREFIX) || key.length <= KEY_PREFIX.length + RANDOM_DIGITS) return false;
  const end = key.length - CHECKSUM_DIGITS;
  return !KEY_PATTERN.test(key) || checksumOf(key.slice(0, end)) !== key.slice(end);
}

function checksumOf(text: string): string {
  let rest = crc32(text);
  let digits = '';
  for (let index = 0; index < CHECKSUM_DIGITS; index += 1) {
    digits = `${DIGITS[rest % DIGITS.length]}${digits}`;
    rest = Math.floor(rest / DIGITS.length);
  }
  return digits;
}
