import { type Clock, elapsedClock } from './clock.ts';

interface LruCacheOptions<Value> {
  /** Maximum total size of the entries: their number, unless `sizeOf` measures something else. Absent = 10,000. */
  readonly max?: number;
  /** Lifetime of an entry in milliseconds; absent = unlimited. */
  readonly ttlMs?: number;
  /** Size of a value; absent = 1. */
  readonly sizeOf?: (value: Value) => number;
  readonly clock?: Clock;
}

interface Entry<Value> {
  readonly value: Value;
  readonly size: number;
  readonly expiresAt: number;
}

/** A cache that evicts its least recently used entries when they exceed `max`, and expires entries after `ttlMs`. */
export class LruCache<Value> {
  readonly #max: number;
  readonly #ttlMs: number;
  readonly #sizeOf: (value: Value) => number;
  readonly #clock: Clock;
  /** The least recently used entry comes first. */
  readonly #entries = new Map<string, Entry<Value>>();
  #size = 0;

  constructor({
    max = 10_000,
    ttlMs = Number.POSITIVE_INFINITY,
    sizeOf = () => 1,
    clock = elapsedClock,
  }: LruCacheOptions<Value>) {
    this.#max = max;
    this.#ttlMs = ttlMs;
    this.#sizeOf = sizeOf;
    this.#clock = clock;
  }

  /** @returns the value, which becomes the most recently used one; undefined if it is not cached or has expired */
  get(key: string): Value | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.delete(key);
    if (this.#clock() >= entry.expiresAt) return undefined;
    this.#add(key, entry);
    return entry.value;
  }

  /**
   * Caches the value for `ttlMs`. A value larger than `max` is not cached, but still removes the key's older value.
   * @param since when the lifetime begins; by default now
   */
  set(key: string, value: Value, since = this.#clock()): void {
    this.delete(key);
    const size = this.#sizeOf(value);
    if (size > this.#max) return;
    this.#add(key, { value, size, expiresAt: since + this.#ttlMs });
    for (const oldest of this.#entries.keys()) {
      if (this.#size <= this.#max) break;
      this.delete(oldest);
    }
  }

  /** Removes the entry, if there is one. */
  delete(key: string): void {
    this.#size -= this.#entries.get(key)?.size ?? 0;
    this.#entries.delete(key);
  }

  #add(key: string, entry: Entry<Value>): void {
    this.#entries.set(key, entry);
    this.#size += entry.size;
  }
}
