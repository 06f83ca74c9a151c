import { BlockList, isIP } from 'node:net';
import type { ProblemCode } from '../../lib/errors.ts';

/** Groups of operations that a key can be limited to. The products of an ad group belong to `metadata`. */
export const SCOPES = ['metadata', 'report', 'jwt'] as const;
export type Scope = (typeof SCOPES)[number];

/** How much a key may use. An absent member stands for the default of the platform. */
export interface KeyLimits {
  readonly requestsPerMinute?: number;
  /** Reports that run at the same time. */
  readonly concurrentReports?: number;
  /** Read units of the table in one day (UTC); a write unit counts as five. */
  readonly dailyReadUnits?: number;
}
export const KEY_LIMIT_NAMES = ['requestsPerMinute', 'concurrentReports', 'dailyReadUnits'] as const;

/** @returns only the limits, without those that are undefined */
export function limitsOf(limits: KeyLimits): KeyLimits {
  return Object.fromEntries(
    KEY_LIMIT_NAMES.flatMap((name) => (limits[name] === undefined ? [] : [[name, limits[name]]])),
  );
}

/**
 * @returns the default limits of keys, from the environment variable KEY_LIMITS; {} if it is not set
 * @throws Error if KEY_LIMITS has a member that is not a limit, or not an integer from 1; SyntaxError if it is not JSON
 */
export function readKeyLimits(): KeyLimits {
  const given: unknown = JSON.parse(process.env.KEY_LIMITS ?? '{}');
  const values = Object.entries(Object(given));
  const isLimit = ([name, value]: [string, unknown]) =>
    KEY_LIMIT_NAMES.some((known) => known === name) && Number.isSafeInteger(value) && Number(value) >= 1;
  if (!values.every(isLimit)) throw new Error('the variable KEY_LIMITS is not valid');
  return Object.fromEntries(values);
}

/**
 * What an operator can choose for a key, and change later. Without `scopes`, `accountIds` or `addresses` the key is not limited in that respect; an absent
 * member of KeyLimits stands for the platform's default.
 */
export interface KeyAttributes extends KeyLimits {
  /** Says where the key is used; for the operator only. */
  readonly label?: string;
  /** The operations that the key can be used for. */
  readonly scopes?: readonly Scope[];
  /** The key sees the user's accounts that are in this list. */
  readonly accountIds?: readonly number[];
  /** IP addresses and ranges in CIDR notation from which the key can be used. */
  readonly addresses?: readonly string[];
}

/** What a request uses its key for, and its client's address. */
interface KeyUse {
  readonly scope: Scope;
  /** The client's IP address. */
  readonly address: string;
}

interface ForbiddenUse {
  readonly code: Extract<ProblemCode, 'SCOPE_FORBIDDEN' | 'ADDRESS_FORBIDDEN'>;
  /** A sentence that is shown to the client. */
  readonly reason: string;
}

/** @returns why the key does not allow this use, or undefined if it does */
export function explainForbiddenUse(key: KeyAttributes, { scope, address }: KeyUse): ForbiddenUse | undefined {
  if (key.addresses !== undefined && !isInRanges(address, key.addresses)) {
    return { code: 'ADDRESS_FORBIDDEN', reason: `The API key must not be used from the address ${address}.` };
  }
  if (key.scopes !== undefined && !key.scopes.includes(scope)) {
    const allowed = key.scopes.join(' and ') || 'operations that this version of the service does not have';
    return { code: 'SCOPE_FORBIDDEN', reason: `The API key is limited to ${allowed}.` };
  }
  return undefined;
}

/** @throws Error that names the range if it is neither an IP address nor a range in CIDR notation, such as 203.0.113.0/24 or 2001:db8::/32 */
export function checkAddressRange(text: string): void {
  addRange(new BlockList(), text);
}

function isInRanges(address: string, texts: readonly string[]): boolean {
  const ranges = new BlockList();
  for (const text of texts) addRange(ranges, text);
  const family = familyOf(address);
  return family !== undefined && ranges.check(address, family);
}

function addRange(ranges: BlockList, text: string): void {
  const [address = '', prefix, ...rest] = text.split('/');
  const family = familyOf(address);
  const maxBits = family === 'ipv6' ? 128 : 32;
  const bits = prefix === undefined ? maxBits : Number(prefix);
  if (family === undefined || rest.length > 0 || !/^\d{1,3}$/.test(prefix ?? '0') || bits > maxBits) {
    throw new Error(`${text} is not an IP address or a range such as 203.0.113.0/24 or 2001:db8::/32`);
  }
  ranges.addSubnet(address, bits, family);
}

function familyOf(address: string): 'ipv4' | 'ipv6' | undefined {
  const version = isIP(address);
  return version === 0 ? undefined : version === 4 ? 'ipv4' : 'ipv6';
}
