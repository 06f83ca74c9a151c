import type { Clock } from '../lib/clock.ts';
import { LruCache } from '../lib/lru-cache.ts';
import { textIn } from '../store/table/item.ts';
import { lastUsedKey } from '../store/table/item-keys.ts';
import type { Table } from '../store/table/table.ts';
import type { ApiKey } from './keys/key-record.ts';

/** Records the last day on which each key was used. */
export class LastUsed {
  readonly #table: Table;
  readonly #clock: Clock;
  /** The days that this instance has recorded, by digest. */
  readonly #recorded: LruCache<string>;

  constructor(table: Table, clock: Clock) {
    this.#table = table;
    this.#clock = clock;
    this.#recorded = new LruCache({});
  }

  /**
   * Records that the key is used today. All instances together write once per key and day; each one reads the stored day first. If this fails, the next call repeats it;
   * it never rejects.
   */
  async record({ digest, expiresAt }: Pick<ApiKey, 'digest' | 'expiresAt'>): Promise<void> {
    const day = new Date(this.#clock()).toISOString().slice(0, 10);
    if (this.#recorded.get(digest) === day) return;
    this.#recorded.set(digest, day);
    try {
      const key = lastUsedKey(digest);
      const stored = await this.#table.get(key, { consistent: false });
      if (stored !== undefined && textIn(stored, 'day') >= day) return;
      const values = { day, expiresAt: Math.ceil(expiresAt / 1000) };
      const change = { text: 'SET #day = :day, #expiresAt = :expiresAt', values };
      await this.#table.update(key, change, { text: 'attribute_not_exists(#day) OR #day < :day' });
    } catch {
      this.#recorded.delete(digest);
    }
  }
}

/** Sets when the table may delete the day on which the key was last used, in seconds since 1970; does nothing if it has not been used. */
export async function setLastUsedExpiry(table: Table, digest: string, expiresAt: number): Promise<void> {
  const change = { text: 'SET #expiresAt = :expiresAt', values: { expiresAt } };
  await table.update(lastUsedKey(digest), change, { text: 'attribute_exists(#day)' });
}

/** @returns one member per digest: the last day on which the key was used, `YYYY-MM-DD`; undefined if it has not been used */
export async function readLastUsed(table: Table, digests: readonly string[]): Promise<(string | undefined)[]> {
  const items = await table.getMany(digests.map(lastUsedKey), { consistent: true });
  return items.map((item) => (item === undefined ? undefined : textIn(item, 'day')));
}
