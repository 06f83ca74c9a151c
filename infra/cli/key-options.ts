import { type CreateKeyOptions, DEFAULT_MAX_KEYS, type KeyChange } from '../../shared/identity/api-keys.ts';
import { SCOPES, type Scope } from '../../shared/identity/keys/key-rights.ts';
import { integerOf } from '../../shared/load/schema/text-ids.ts';

/** The options of `npm run key` that set a key's attributes and its expiry, and how many its user may have. */
export const KEY_OPTIONS = {
  label: { type: 'string' },
  scopes: { type: 'string' },
  accounts: { type: 'string' },
  addresses: { type: 'string' },
  rpm: { type: 'string' },
  concurrency: { type: 'string' },
  'daily-units': { type: 'string' },
  days: { type: 'string' },
  'max-keys': { type: 'string' },
} as const;

export const KEY_OPTIONS_USAGE = `  --label TEXT         where the key is used; for you only
  --scopes LIST        ${SCOPES.join(', ')}: the operations that the key can be used for; default: all
  --accounts LIST      ids of the user's accounts, as loaded, that the key is limited to; default: all
  --addresses LIST     IP addresses and ranges (203.0.113.0/24) from which the key can be used; default: all
  --rpm N              requests per minute, from 1
  --concurrency N      reports at the same time
  --daily-units N      read units of the table per day (UTC); a write unit counts as five
  --days N             days until the key expires, 1 to 3650; default of a new key: 365
  --max-keys N         valid keys that the user may have; default: ${DEFAULT_MAX_KEYS}
With set, the value all lifts the restriction of --scopes, --accounts or --addresses, the value default resets --rpm,
--concurrency or --daily-units, and --label '' removes the label.`;

type KeyOptionValues = { readonly [Name in keyof typeof KEY_OPTIONS]?: string | undefined };

/** Lifts a restriction to scopes, accounts or addresses. */
const ALL = 'all';
/** Resets a limit to the platform's. */
const DEFAULT = 'default';

/**
 * @returns what the options change; null where they remove an attribute
 * @throws Error that names the option and its valid values
 */
export function readKeyOptions(values: KeyOptionValues): KeyChange {
  const { label, scopes, accounts, addresses, rpm, concurrency, 'daily-units': units, days } = values;
  return {
    ...(label === undefined ? {} : { label: label === '' ? null : label }),
    ...(scopes === undefined ? {} : { scopes: readList(scopes, readScope) }),
    ...(accounts === undefined ? {} : { accountIds: readList(accounts, readAccount) }),
    ...(addresses === undefined ? {} : { addresses: readList(addresses, (text) => text) }),
    ...(rpm === undefined ? {} : { requestsPerMinute: readLimit('--rpm', rpm) }),
    ...(concurrency === undefined ? {} : { concurrentReports: readLimit('--concurrency', concurrency) }),
    ...(units === undefined ? {} : { dailyReadUnits: readLimit('--daily-units', units) }),
    ...(days === undefined ? {} : { days: readInteger('--days', days) }),
  };
}

/** @returns the change without its nulls, for a new key, which has no attributes to remove */
export function withoutNulls(change: KeyChange): CreateKeyOptions {
  return Object.fromEntries(Object.entries(change).filter(([, value]) => value !== null)) as CreateKeyOptions; // a change has the members of CreateKeyOptions
}

/**
 * @returns the number
 * @throws Error that names the option if the text is not an integer from 1
 */
export function readInteger(option: string, text: string): number {
  if (!/^\d+$/.test(text) || Number(text) < 1) throw new Error(`${option} is ${text}; it must be an integer from 1`);
  return Number(text);
}

function readLimit(option: string, text: string): number | null {
  return text === DEFAULT ? null : readInteger(option, text);
}

function readList<Value>(text: string, read: (member: string) => Value): Value[] | null {
  return text === ALL ? null : text.split(',').map((member) => read(member.trim()));
}

function readScope(text: string): Scope {
  const scope = SCOPES.find((name) => name === text);
  if (scope === undefined) throw new Error(`--scopes has ${text}; it must be a list of ${SCOPES.join(', ')}, or all`);
  return scope;
}

/** @returns the account's id, which the loaded files may have as a text */
function readAccount(text: string): number {
  return /^-?\d+$/.test(text) && Number.isSafeInteger(Number(text)) ? Number(text) : integerOf(text.normalize('NFC'));
}
