import { setImmediate } from 'node:timers';
import type { Item } from '../table/item.ts';
import type { Key } from '../table/item-keys.ts';
import type { Table } from '../table/table.ts';

interface Waiting {
  readonly key: Key;
  readonly resolve: (head: Item | undefined) => void;
  readonly reject: (error: unknown) => void;
}

/** Combines heads that are requested at about the same time into `BatchGetItem` calls: a load compares some heads per account and advertiser. */
export class HeadReader {
  readonly #table: Table;
  #waiting: Waiting[] = [];

  constructor(table: Table) {
    this.#table = table;
  }

  /** @returns the head as it is now, read consistently; undefined if there is none */
  read(key: Key): Promise<Item | undefined> {
    if (this.#waiting.length === 0) setImmediate(() => void this.#readWaiting());
    const { promise, resolve, reject } = Promise.withResolvers<Item | undefined>();
    this.#waiting.push({ key, resolve, reject });
    return promise;
  }

  async #readWaiting(): Promise<void> {
    const waiting = this.#waiting;
    this.#waiting = [];
    try {
      const heads = await this.#table.getMany(
        waiting.map(({ key }) => key),
        { consistent: true },
      );
      for (const [index, { resolve }] of waiting.entries()) resolve(heads[index]);
    } catch (error) {
      for (const { reject } of waiting) reject(error);
    }
  }
}
