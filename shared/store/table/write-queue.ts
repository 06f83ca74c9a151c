import { CONCURRENCY } from '../../lib/concurrency.ts';
import { type Item, sizeOf } from './item.ts';
import { PART_BYTES } from './requests.ts';

/** Keys in one item of a journal or of garbage: with the longest, user ids of 200 characters of four bytes, it takes at most 350 KB. */
export const KEYS_PER_ITEM = 400;

/**
 * Collects items into groups and writes a few groups concurrently. At most five groups of 4 MB are in memory, and one more item per concurrent call
 * of `add`.
 */
export class WriteQueue {
  readonly #write: (items: readonly Item[]) => Promise<void>;
  readonly #inProgress = new Set<Promise<void>>();
  #group: Item[] = [];
  #bytes = 0;
  #failure: { readonly error: unknown } | undefined;

  /** @param write writes one group; all later calls of `add` and `drain` throw its first error */
  constructor(write: (items: readonly Item[]) => Promise<void>) {
    this.#write = write;
  }

  /** Returns as soon as there is room for more items. */
  async add(items: readonly Item[]): Promise<void> {
    for (const item of items) {
      this.#group.push(item);
      this.#bytes += sizeOf(item);
      while (this.#isFull()) {
        if (this.#inProgress.size < CONCURRENCY) this.#startGroup();
        else await Promise.race(this.#inProgress);
      }
    }
    this.#throwFailure();
  }

  /** Returns once all items added so far are written. */
  async drain(): Promise<void> {
    this.#startGroup();
    await Promise.all(this.#inProgress);
    this.#throwFailure();
  }

  /** Discards what is queued, and returns once nothing is being written any more; all later calls of `add` and `drain` throw. */
  async stop(): Promise<void> {
    this.#failure ??= { error: new Error('the load was abandoned') };
    this.#group = [];
    await Promise.all(this.#inProgress);
  }

  #isFull(): boolean {
    return this.#group.length >= KEYS_PER_ITEM || this.#bytes >= PART_BYTES;
  }

  #startGroup(): void {
    this.#throwFailure();
    const items = this.#group;
    this.#group = [];
    this.#bytes = 0;
    if (items.length === 0) return;
    const writing: Promise<void> = this.#write(items)
      .catch((error: unknown) => {
        this.#failure ??= { error };
      })
      .finally(() => this.#inProgress.delete(writing));
    this.#inProgress.add(writing);
  }

  #throwFailure(): void {
    if (this.#failure !== undefined) throw this.#failure.error;
  }
}
