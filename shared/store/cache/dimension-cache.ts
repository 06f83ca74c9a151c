import type { DimensionTable } from '../../catalog/definitions.ts';
import type { EncodedTable } from '../../catalog/partitions.ts';
import { LruCache } from '../../lib/lru-cache.ts';
import type { CommitState } from '../commit/commit-state.ts';
import { readDimensionTables } from '../facts/dimension-items.ts';
import type { Table } from '../table/table.ts';

/** Enough for an agency with hundreds of advertisers, and little compared with the memory of a report. */
const MAX_BYTES = 64_000_000;
/** Memory of an entry and of each of its columns besides their bytes. */
const [ENTRY_BYTES, COLUMN_BYTES] = [350, 200];
const MISSING = 'missing';

/** A table at a commit, as far as it was read. Columns that it lacks are undefined. */
interface CachedTable {
  readonly rows: number;
  readonly columns: ReadonlyMap<string, Uint8Array | undefined>;
}

/** Caches the columns of dimension tables across reports. Keys contain the commit, so an entry is never stale. */
export class DimensionCache {
  readonly #tables = new LruCache<CachedTable | typeof MISSING>({ max: MAX_BYTES, sizeOf });

  /**
   * Like `readDimensionTables`, but reads only tables of which a column is not cached.
   * @throws ApiError STORE_INCONSISTENT if part of a column is missing; Error if a chunk is damaged
   */
  async read(
    store: Table,
    name: DimensionTable,
    advertiserIds: readonly number[],
    state: CommitState,
    columns: readonly string[],
  ): Promise<ReadonlyMap<number, EncodedTable>> {
    const keyOf = (id: number) => `${state.commit}/${name}/${id}`;
    const found = new Map<number, CachedTable | typeof MISSING>();
    for (const id of advertiserIds) {
      const cached = this.#tables.get(keyOf(id));
      if (cached === MISSING || (cached && columns.every((column) => cached.columns.has(column))))
        found.set(id, cached);
    }
    const toRead = advertiserIds.filter((id) => !found.has(id));
    if (toRead.length > 0) {
      const read = await readDimensionTables(store, name, toRead, state, columns);
      for (const id of toRead) {
        const table = read.get(id) ?? MISSING;
        found.set(id, table);
        this.#tables.set(keyOf(id), merge(this.#tables.get(keyOf(id)), table, columns));
      }
    }
    const result = new Map<number, EncodedTable>();
    for (const id of advertiserIds) {
      const table = found.get(id);
      if (table !== undefined && table !== MISSING) result.set(id, select(table, columns));
    }
    return result;
  }
}

/** Copies what was read: a column may be a small part of an item, all of which it would keep in memory. */
function merge(
  cached: CachedTable | typeof MISSING | undefined,
  read: EncodedTable | typeof MISSING,
  columns: readonly string[],
): CachedTable | typeof MISSING {
  if (read === MISSING) return read;
  const copies = columns.map((column) => {
    const bytes = read.columns.get(column);
    return [column, bytes && new Uint8Array(bytes)] as const;
  });
  return { rows: read.rows, columns: new Map([...(cached === MISSING ? [] : (cached?.columns ?? [])), ...copies]) };
}

function select({ rows, columns }: CachedTable, names: readonly string[]): EncodedTable {
  const found = [...columns].flatMap(([column, bytes]) =>
    bytes !== undefined && names.includes(column) ? [[column, bytes] as const] : [],
  );
  return { rows, columns: new Map(found) };
}

function sizeOf(table: CachedTable | typeof MISSING): number {
  const columns = table === MISSING ? [] : [...table.columns.values()];
  return columns.reduce((sum, bytes) => sum + (bytes?.length ?? 0) + COLUMN_BYTES, ENTRY_BYTES);
}
