import { isCustom } from '../../catalog/custom-fields.ts';
import { AMOUNT_COLUMNS, DIMENSION_COLUMNS, MICROS } from '../../catalog/dimension-tables.ts';
import { decodeKeys, expandKeys } from '../../columns/coded-keys.ts';
import type { KeyData, KeyValue } from '../../columns/column.ts';
import type { CacheBudget } from '../../lib/lru-cache.ts';
import { CommitCache } from '../commit/commit-cache.ts';
import type { CommitState } from '../commit/commits.ts';
import { readDimensionTables } from '../facts/dimension-items.ts';
import type { Table } from '../table/table.ts';

/** Columns that only reports need. */
const OMITTED: readonly string[] = ['budgets', 'segmentIds', 'experience'];

type Listed = 'campaigns' | 'ad_groups';

/** What a request selects of the rows of an account. */
interface RowSelection {
  readonly account_id: number;
  /** One of the account's advertisers; absent = all. */
  readonly advertiser_id?: number | undefined;
  readonly status?: string | undefined;
  readonly offset: number;
  readonly size: number;
}

/** A campaign or an ad group. Its members are its advertiser and the dimension table's columns that have a value. */
type AdvertiserRow = Readonly<Record<string, string | number>>;

/** The rows of several advertisers, by column. */
interface Columns {
  readonly values: ReadonlyMap<string, readonly KeyValue[]>;
  /** The rows that are listed, ascending by id. */
  readonly order: Uint32Array;
}

/**
 * The campaigns or ad groups of advertisers, from the dimension tables that reports join facts with. An instance caches them by commit: the first page
 * takes about one read unit per advertiser (more if the head, with its recent versions, exceeds 4 KB, and for tables above 8 KB, which are stored in
 * chunks), further pages none.
 */
export class AdvertiserRows {
  readonly #name: Listed;
  readonly #columns: readonly string[];
  readonly #accounts: CommitCache<Columns>;

  constructor(name: Listed, budget?: CacheBudget) {
    this.#name = name;
    this.#accounts = new CommitCache({ budget, of: ['dimensions', 'listings'] });
    this.#columns = DIMENSION_COLUMNS[name].filter((column) => !OMITTED.includes(column) && !isCustom(column));
  }

  /**
   * @param advertiserIds the advertisers that `selection` selects
   * @returns a page of their rows at `state`, ascending by id, and the number of all that have the status
   * @throws ApiError STORE_INCONSISTENT
   */
  async readPage(
    table: Table,
    advertiserIds: readonly number[],
    state: CommitState,
    selection: RowSelection,
  ): Promise<{ readonly items: readonly AdvertiserRow[]; readonly total: number }> {
    const { account_id, advertiser_id, status, offset, size } = selection;
    const key = `${account_id}/${advertiser_id ?? 'all'}`;
    const read = async () => [await this.#read(table, advertiserIds, state)];
    const [columns] = await this.#accounts.read(state, [key], String, read);
    if (columns === undefined) throw new Error(`the ${this.#name} of ${key} are not cached`);
    const statuses = columns.values.get('status');
    const found = status === undefined ? columns.order : columns.order.filter((row) => statuses?.[row] === status);
    const page = found.subarray(offset, offset + size);
    return { items: Array.from(page, (row) => rowOf(columns, row)), total: found.length };
  }

  async #read(table: Table, advertiserIds: readonly number[], state: CommitState): Promise<Columns> {
    const tables = await readDimensionTables(table, this.#name, advertiserIds, state, this.#columns);
    const values = new Map<string, KeyValue[]>([...this.#columns, 'advertiserId'].map((name) => [name, []]));
    for (const [id, { rows, columns }] of tables) {
      for (const [name, column] of values) {
        const encoded = columns.get(name);
        const where = `${this.#name} of advertiser ${id}/${name}`;
        const keys =
          encoded === undefined ? constant(rows, name === 'advertiserId' ? id : null) : decodeKeys(encoded, where);
        for (const value of expandKeys(keys)) column.push(value);
      }
    }
    const archived = values.get('archived');
    const order = orderOf(values.get('id') ?? []).filter((row) => archived?.[row] !== 1);
    return { values, order };
  }
}

function constant(rows: number, value: KeyValue): KeyData {
  return { kind: 'constant', rows, dictionary: [value] };
}

/** @returns the rows, ascending by id */
function orderOf(ids: readonly KeyValue[]): Uint32Array {
  return Uint32Array.from(ids.keys()).sort((a, b) => Number(ids[a]) - Number(ids[b]));
}

function rowOf({ values }: Columns, row: number): AdvertiserRow {
  const members = [...values].flatMap(([name, column]) => {
    const value = column[row] ?? null;
    if (value === null) return [];
    return [[name, typeof value === 'number' && AMOUNT_COLUMNS.has(name) ? value / MICROS : value] as const];
  });
  return Object.fromEntries(members);
}
