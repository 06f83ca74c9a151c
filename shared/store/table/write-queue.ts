import type { Item } from './item.ts';
import { sizeOf } from './item.ts';

const GROUP_ITEMS = 500;
const GROUP_BYTES = 4_000_000;
const GROUPS_UNDER_WAY = 4;

/** Gathers items into groups and writes a few groups at once: memory stays within some 20 MB however much goes through. */
export class WriteQueue {
  private readonly write: (items: readonly Item[]) => Promise<void>;
  private readonly underWay = new Set<Promise<void>>();
  private group: Item[] = [];
  private bytes = 0;
  private failure: { readonly error: unknown } | undefined;

  /** @param write writes one group; its first error is thrown by the next call of `add` or `drain` */
  constructor(write: (items: readonly Item[]) => Promise<void>) {
    this.write = write;
  }

  /** Returns when there is room for more. */
  async add(items: readonly Item[]): Promise<void> {
    for (const item of items) {
      this.group.push(item);
      this.bytes += sizeOf(item);
      if (this.group.length >= GROUP_ITEMS || this.bytes >= GROUP_BYTES) await this.send();
    }
    this.throwFailure();
  }

  /** Returns when everything given so far is written. */
  async drain(): Promise<void> {
    await this.send();
    await Promise.all(this.underWay);
    this.throwFailure();
  }

  private async send(): Promise<void> {
    const items = this.group;
    this.group = [];
    this.bytes = 0;
    while (this.underWay.size >= GROUPS_UNDER_WAY) await Promise.race(this.underWay);
    this.throwFailure();
    if (items.length === 0) return;
    const writing: Promise<void> = this.write(items)
      .catch((error: unknown) => {
        this.failure ??= { error };
      })
      .finally(() => this.underWay.delete(writing));
    this.underWay.add(writing);
  }

  private throwFailure(): void {
    if (this.failure !== undefined) throw this.failure.error;
  }
}
