import { type ApiKey, explainInvalid } from '../../../shared/identity/keys/key-record.ts';
import { limitsOf } from '../../../shared/identity/keys/key-rights.ts';

/**
 * @param lastUsed the day (UTC, as all days of the text); null if it was not used, undefined if that was not read
 * @returns one line about the key, and one for its label and for each restriction and limit
 */
export function describeKey(record: ApiKey, lastUsed?: string | null): string {
  const { id, createdAt, expiresAt, label, scopes, accountIds, addresses } = record;
  const used = lastUsed === undefined ? '' : lastUsed === null ? '  not used' : `  last used ${lastUsed}`;
  const state = explainInvalid(record, Date.now()) ?? 'Valid.';
  const line = `${id}  created ${dateOf(createdAt)}  expires ${dateOf(expiresAt)}${used}  ${state}`;
  const attributes = { label, scopes, accounts: accountIds, addresses, ...limitsOf(record) };
  const more = Object.entries(attributes).flatMap(([name, value]) =>
    value === undefined ? [] : [`    ${name}: ${Array.isArray(value) ? value.join(', ') || 'none' : value}`],
  );
  return [line, ...more].join('\n');
}

const dateOf = (time: number): string => new Date(time).toISOString().slice(0, 10);
