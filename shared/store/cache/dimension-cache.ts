import type { DimensionTable } from '../../catalog/definitions.ts';
import type { StoredTable } from '../../layout/partitions.ts';
import type { CacheBudget } from '../../lib/lru-cache.ts';
import { CommitCache } from '../commit/commit-cache.ts';
import type { CommitState } from '../commit/commit-state.ts';
import { readDimensionTables } from '../facts/dimension-items.ts';
import type { Table } from '../table/table.ts';

/** Caches the columns of dimension tables across reports, by table, advertiser and requested columns. */
export class DimensionCache {
  readonly #tables: CommitCache<StoredTable>;

  constructor(budget?: CacheBudget) {
    this.#tables = new CommitCache({ budget, of: ['dimensions'] });
  }

  /**
   * Like `readDimensionTables`, but reads only tables that are not cached.
   * @throws ApiError STORE_INCONSISTENT if part of a column is missing; Error if a chunk is damaged
   */
  async read(
    store: Table,
    name: DimensionTable,
    advertiserIds: readonly number[],
    state: CommitState,
    columns: readonly string[],
  ): Promise<ReadonlyMap<number, StoredTable>> {
    const keyOf = (id: number) => `${name}/${id}/${columns}`;
    const tables = await this.#tables.read(state, advertiserIds, keyOf, async (missing) => {
      const read = await readDimensionTables(store, name, missing, state, columns);
      return missing.map((id) => copy(read.get(id)));
    });
    const found = new Map<number, StoredTable>();
    for (const [index, id] of advertiserIds.entries()) {
      const table = tables[index];
      if (table !== undefined) found.set(id, table);
    }
    return found;
  }
}

/** A column may be a small part of an item, all of which it would keep in memory. */
function copy(table: StoredTable | undefined): StoredTable | undefined {
  return (
    table && { ...table, columns: new Map([...table.columns].map(([name, bytes]) => [name, new Uint8Array(bytes)])) }
  );
}
