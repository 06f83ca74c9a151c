import { USAGE_DAYS, type UsedByKey } from '../../shared/identity/key-usage.ts';
import { type ApiKey, explainInvalid } from '../../shared/identity/keys/key-record.ts';
import { limitsOf } from '../../shared/identity/keys/key-rights.ts';
import { DAY_MS } from '../../shared/lib/calendar.ts';

/** Keys that expire within this time are marked. */
const SOON_DAYS = 30;

/**
 * @param lastUsed the day (UTC, as all days of the text); null if it was not used, undefined if that was not read
 * @returns one line about the key, and one for its label and for each restriction and limit
 */
export function describeKey(record: ApiKey, lastUsed?: string | null): string {
  const { id, createdAt, expiresAt, label, isForUrls, scopes, accountIds, addresses } = record;
  const used = lastUsed === undefined ? '' : lastUsed === null ? '  not used' : `  last used ${lastUsed}`;
  const line = `${id}  created ${dateOf(createdAt)}  expires ${dateOf(expiresAt)}${used}  ${stateOf(record)}`;
  const attributes = {
    label,
    ...(isForUrls && { for: 'URLs' }),
    scopes,
    accounts: accountIds,
    addresses,
    ...limitsOf(record),
  };
  const more = Object.entries(attributes).flatMap(([name, value]) =>
    value === undefined ? [] : [`    ${name}: ${Array.isArray(value) ? value.join(', ') || 'none' : value}`],
  );
  return [line, ...more].join('\n');
}

interface ListedKey {
  readonly record: ApiKey;
  readonly lastUsed: string | undefined;
  readonly usage: UsedByKey | undefined;
}

export function describeKeys(keys: readonly ListedKey[]): string {
  const used = `in ${USAGE_DAYS} days`;
  const rows = [
    ['user', 'key', 'label', 'expires', 'last used', `requests ${used}`, `read units ${used}`, 'state'],
    ...keys.map(({ record, lastUsed, usage }) => [
      ...[record.userId, record.id, record.label ?? '', dateOf(record.expiresAt), lastUsed ?? 'not used'],
      ...[String(usage?.requests ?? '-'), String(usage === undefined ? '-' : Math.ceil(usage.readUnits))],
      stateOf(record),
    ]),
  ];
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((cells) => cells[column]?.length ?? 0)));
  return rows
    .map((cells) =>
      cells
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function stateOf(record: ApiKey): string {
  const now = Date.now();
  const days = Math.ceil((record.expiresAt - now) / DAY_MS);
  return explainInvalid(record, now) ?? (days > SOON_DAYS ? 'Valid.' : `Expires within ${days} days.`);
}

const dateOf = (time: number): string => new Date(time).toISOString().slice(0, 10);
