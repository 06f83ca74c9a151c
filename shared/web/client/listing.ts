import { readFitting } from './read-fitting.ts';
import type { PageMeta } from './schema.ts';

export interface Page<Item> {
  readonly data: readonly Item[];
  readonly meta: PageMeta;
}

/** A listing: iterate over it for all items, which reads pages as they are needed, or read one page. */
export interface Listing<Item> extends AsyncIterable<Item> {
  /** @returns the page of `size` items from `offset` on; the first 10 by default */
  page(options?: { readonly offset?: number; readonly size?: number }): Promise<Page<Item>>;
  toArray(): Promise<Item[]>;
}

const MAX_SIZE = 100;

export function createListing<Item>(read: (offset: number, size: number) => Promise<Page<Item>>): Listing<Item> {
  const items = () => eachItem(read);
  return {
    [Symbol.asyncIterator]: items,
    page: ({ offset = 0, size = 10 } = {}) => read(offset, size),
    toArray: async () => {
      const all: Item[] = [];
      for await (const item of items()) all.push(item);
      return all;
    },
  };
}

async function* eachItem<Item>(
  read: (offset: number, size: number) => Promise<Page<Item>>,
): AsyncGenerator<Item, void> {
  for (let [offset, size] = [0, MAX_SIZE]; ; offset += size) {
    const [{ data, meta }, fitting] = await readFitting((size_) => read(offset, size_), size);
    size = fitting;
    yield* data;
    if (!meta.page.hasMore) return;
  }
}
