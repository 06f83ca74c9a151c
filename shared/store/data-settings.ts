import { createHash } from 'node:crypto';
import type { CommitState } from './commit/commits.ts';
import type { Item } from './table/item.ts';
import { DATA_SETTINGS_KEY } from './table/item-keys.ts';
import type { Table } from './table/table.ts';

/** The settings that the loaded data depends on; absent ones are neither compared nor recorded. */
export interface DataSettings {
  readonly currency?: string | undefined;
  readonly timeZone?: string | undefined;
  readonly productIds?: string | undefined;
  /** The fingerprint of the key with which shopper ids are hashed: shoppers of different days are counted once only if it is the same. */
  readonly userIdKey?: string | undefined;
  /** How purchases are attributed, as JSON. It may change. */
  readonly attribution?: string | undefined;
  /** The columns of custom fields that were loaded, as JSON. */
  readonly fields?: string | undefined;
}

const FIXED = ['currency', 'timeZone', 'productIds', 'userIdKey'] as const;

/**
 * @returns what earlier loads have recorded
 * @throws Error naming a setting that differs from that of the loaded data, which is not converted
 */
export async function checkDataSettings(
  table: Table,
  state: CommitState,
  settings: DataSettings,
): Promise<DataSettings> {
  if (state.commit === 0) return {}; // what an undone first load has recorded does not matter
  const recorded: Item & DataSettings = (await table.get(DATA_SETTINGS_KEY, { consistent: true })) ?? {
    ...DATA_SETTINGS_KEY,
  };
  for (const name of FIXED) {
    const [before, now] = [recorded[name], settings[name]];
    if (before === undefined || now === undefined || before === now) continue;
    if (name === 'userIdKey')
      throw new Error(
        'the user ids in this table were hashed with another key, so users would be counted twice: load with the key of the first load (see "The hashing key for shopper ids" in infra/README.md)',
      );
    throw new Error(
      `the setting ${name} is ${now}, but the data in this table was loaded with ${before}: set ${name} to ${before} again, or load all data into a new table (on this machine, with another DATA_DIR)`,
    );
  }
  return recorded;
}

/** @returns the secret key with which shopper ids are hashed, 16 bytes; the same at every call. It is kept outside of the table. */
export type UserIdKeySource = () => Promise<Uint8Array>;

/** @returns 64 bits: too few to determine a key of 128 bits, enough to distinguish keys */
export function fingerprintOf(userIdKey: Uint8Array): string {
  return createHash('sha256').update('endcap user id key').update(userIdKey).digest('hex').slice(0, 16);
}

/** To be called by a load before its commit. @param recorded what `checkDataSettings` has returned */
export async function recordDataSettings(table: Table, recorded: DataSettings, settings: DataSettings): Promise<void> {
  const given = Object.entries(settings).filter(([, value]) => value !== undefined);
  const merged = { ...recorded, ...Object.fromEntries(given), ...DATA_SETTINGS_KEY };
  if (JSON.stringify(merged) !== JSON.stringify({ ...recorded, ...DATA_SETTINGS_KEY })) await table.put(merged);
}
