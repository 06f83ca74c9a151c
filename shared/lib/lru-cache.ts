import { type Clock, elapsedClock } from './clock.ts';

/** What a limit needs of a cache. */
interface Evictable {
  readonly oldestUse: number;
  evict(): boolean;
}

/** A limit that several caches share: the entry of any of them that was used least recently is evicted first. */
export class CacheBudget {
  readonly max: number;
  readonly #caches: Evictable[] = [];
  #size = 0;
  #uses = 0;
  #evictions = 0;

  /** @param max the maximum total size of all entries */
  constructor(max: number) {
    this.max = max;
  }

  /** The total size of the entries. */
  get size(): number {
    return this.#size;
  }

  /** The number of entries that were evicted so far. */
  get evictions(): number {
    return this.#evictions;
  }

  /** Evicts all entries. */
  empty(): void {
    for (const cache of this.#caches) while (cache.evict()) this.#evictions += 1;
  }

  /** @internal Adds a cache. */
  join(cache: Evictable): void {
    this.#caches.push(cache);
  }

  /** @internal @returns the number of a use, which is higher than that of any before */
  use(): number {
    return ++this.#uses;
  }

  /** @internal Changes the total size, and evicts what exceeds the maximum. */
  resize(bytes: number): void {
    this.#size += bytes;
    while (this.#size > this.max) {
      const [first, ...others] = this.#caches;
      const oldest = others.reduce((a, b) => (a !== undefined && a.oldestUse <= b.oldestUse ? a : b), first);
      if (oldest?.evict() !== true) return;
      this.#evictions += 1;
    }
  }
}

interface LruCacheOptions<Value> {
  /** What limits the total size of the entries, or the maximum of this cache alone; default: 10,000. */
  readonly max?: number | CacheBudget;
  /** Lifetime of an entry in milliseconds; absent = unlimited. */
  readonly ttlMs?: number;
  /** Size of a value; absent = 1. */
  readonly sizeOf?: (value: Value) => number;
  readonly clock?: Clock;
}

interface Entry<Value> {
  readonly value: Value;
  readonly expiresAt: number;
  size: number;
  use: number;
}

/** A cache that evicts its least recently used entries when they exceed `max`, and expires entries after `ttlMs`. */
export class LruCache<Value> {
  readonly #budget: CacheBudget;
  readonly #ttlMs: number;
  readonly #sizeOf: (value: Value) => number;
  readonly #clock: Clock;
  /** The least recently used entry comes first. */
  readonly #entries = new Map<string, Entry<Value>>();

  constructor({
    max = 10_000,
    ttlMs = Number.POSITIVE_INFINITY,
    sizeOf = () => 1,
    clock = elapsedClock,
  }: LruCacheOptions<Value>) {
    this.#budget = typeof max === 'number' ? new CacheBudget(max) : max;
    this.#budget.join(this);
    this.#ttlMs = ttlMs;
    this.#sizeOf = sizeOf;
    this.#clock = clock;
  }

  /** When the least recently used entry was used; infinite where there is none. */
  get oldestUse(): number {
    for (const { use } of this.#entries.values()) return use;
    return Number.POSITIVE_INFINITY;
  }

  /** @returns whether there is an entry, which may have expired; it is not used by this */
  has(key: string): boolean {
    return this.#entries.has(key);
  }

  /** @returns the value, which becomes the most recently used one; undefined if it is not cached or has expired */
  get(key: string): Value | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    if (this.#clock() >= entry.expiresAt) {
      this.delete(key);
      return undefined;
    }
    entry.use = this.#budget.use();
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry.value;
  }

  /**
   * Caches the value for `ttlMs`. A value larger than `max` is not cached, but still removes the key's older value.
   * @param since when the lifetime begins; by default now
   */
  set(key: string, value: Value, since = this.#clock()): void {
    this.delete(key);
    const size = this.#sizeOf(value);
    if (size > this.#budget.max) return;
    this.#entries.set(key, { value, size, expiresAt: since + this.#ttlMs, use: this.#budget.use() });
    this.#budget.resize(size);
  }

  /** Adds to the size of an entry, if there is one. */
  grow(key: string, bytes: number): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    entry.size += bytes;
    this.#budget.resize(bytes);
  }

  /** Removes the entry, if there is one. */
  delete(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    this.#budget.resize(-entry.size);
  }

  /** Removes the least recently used entry. @returns whether there was one */
  evict(): boolean {
    for (const key of this.#entries.keys()) {
      this.delete(key);
      return true;
    }
    return false;
  }
}
