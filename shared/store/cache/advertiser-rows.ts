import { DIMENSION_COLUMNS } from '../../catalog/dimension-tables.ts';
import type { EncodedTable } from '../../catalog/partitions.ts';
import { decodeKeys, expandKeys } from '../../columns/keys.ts';
import { LruCache } from '../../lib/lru-cache.ts';
import type { CommitState } from '../commit/commits.ts';
import { readDimensionTables } from '../facts/dimensions.ts';
import type { Table } from '../table/client.ts';

/** Enough for an account with hundreds of advertisers, in about 30 MB. */
const MAX_CACHED_ROWS = 100_000;

/** A campaign or an ad group. Its members are those of the dimension table that have a value, and its advertiser. */
export interface AdvertiserRow {
  readonly id: number;
  readonly advertiserId: number;
  readonly status: string;
  readonly [column: string]: string | number;
}

/**
 * The campaigns or ad groups of advertisers, from the dimension tables that reports join facts with. An instance caches them by commit: the first page
 * takes about one read unit per advertiser (more for tables above 1 KB), further pages none.
 */
export class AdvertiserRows {
  readonly #name: 'campaigns' | 'ad_groups';
  readonly #columns: readonly string[];
  readonly #rows = new LruCache<readonly AdvertiserRow[]>({ max: MAX_CACHED_ROWS, sizeOf: (rows) => rows.length + 1 });

  /** @param without columns that the rows do not need */
  constructor(name: 'campaigns' | 'ad_groups', without: readonly string[] = []) {
    this.#name = name;
    this.#columns = DIMENSION_COLUMNS[name].filter((column) => !without.includes(column));
  }

  /** @returns all rows of the advertisers at `state`, ascending by id */
  async read(table: Table, advertiserIds: readonly number[], state: CommitState): Promise<readonly AdvertiserRow[]> {
    const keyOf = (id: number) => `${state.commit}/${id}`;
    const found = new Map<number, readonly AdvertiserRow[]>();
    for (const id of advertiserIds) {
      const cached = this.#rows.get(keyOf(id));
      if (cached !== undefined) found.set(id, cached);
    }
    const missing = advertiserIds.filter((id) => !found.has(id));
    if (missing.length > 0) {
      const tables = await readDimensionTables(table, this.#name, missing, state, this.#columns);
      for (const id of missing) {
        const rows = rowsOf(tables.get(id), this.#columns, id, `${this.#name} of advertiser ${id}`);
        this.#rows.set(keyOf(id), rows);
        found.set(id, rows);
      }
    }
    return [...found.values()].flat().sort((a, b) => a.id - b.id);
  }
}

function rowsOf(
  table: EncodedTable | undefined,
  names: readonly string[],
  advertiserId: number,
  where: string,
): AdvertiserRow[] {
  if (table === undefined) return [];
  const columns = names.map((name) => {
    const bytes = table.columns.get(name);
    return [name, bytes === undefined ? [] : expandKeys(decodeKeys(bytes, `${where}/${name}`))] as const;
  });
  return Array.from({ length: table.rows }, (_, row) => {
    const members = columns.flatMap(([name, values]) => {
      const value = values[row] ?? null;
      return value === null ? [] : [[name, value] as const];
    });
    return checkRow({ ...Object.fromEntries(members), advertiserId }, where);
  });
}

function checkRow(row: Readonly<Record<string, string | number>>, where: string): AdvertiserRow {
  const { id, advertiserId, status } = row;
  if (typeof id !== 'number' || typeof advertiserId !== 'number' || typeof status !== 'string') {
    throw new Error(`a row of ${where} lacks its id or status`);
  }
  return { ...row, id, advertiserId, status };
}
