import { DIMENSION_COLUMNS } from '../../catalog/dimension-tables.ts';
import type { KeyData, KeyValue } from '../../columns/column.ts';
import { decodeKeys, expandKeys } from '../../columns/keys.ts';
import type { Deadline } from '../../lib/deadline.ts';
import { ApiError } from '../../lib/errors.ts';
import { takeTurn } from '../../lib/turns.ts';
import { CommitCache } from '../commit/commit-cache.ts';
import type { CommitState } from '../commit/commits.ts';
import { readDimensionTables } from '../facts/dimensions.ts';
import type { Table } from '../table/client.ts';

/** Maximum number of campaigns or ad groups of an account that is listed: with long names, they take 0.5 GB while they are decoded; a function has 1,024 MB. */
const MAX_ROWS = 500_000;
/** Enough for MAX_ROWS with names of 40 characters. Accounts that take more are read again for each page. */
const MAX_CACHED_BYTES = 150_000_000;
/** Bytes of memory: of a value in a row, of a row's position in `order`, and of a distinct value besides its characters. */
const [VALUE_BYTES, POSITION_BYTES, DISTINCT_BYTES] = [8, 4, 24];

/** What a request selects of the rows of an account. */
export interface RowSelection {
  readonly account_id: number;
  /** One of the account's advertisers; absent = all. */
  readonly advertiser_id?: number | undefined;
  readonly status?: string | undefined;
  readonly offset: number;
  readonly size: number;
}

/** A campaign or an ad group. Its members are those of the dimension table that have a value, and its advertiser. */
export type AdvertiserRow = Readonly<Record<string, string | number>>;

/** The rows of several advertisers, by column. */
interface Columns {
  readonly values: ReadonlyMap<string, readonly KeyValue[]>;
  /** The rows, ascending by id. */
  readonly order: Uint32Array;
  /** Approximate size in memory. */
  readonly bytes: number;
}

/**
 * The campaigns or ad groups of advertisers, from the dimension tables that reports join facts with. An instance caches them by commit: the first page
 * takes about one read unit per advertiser (more if the head, with its recent versions, exceeds 4 KB, and for tables above 8 KB, which are stored in
 * chunks), further pages none.
 */
export class AdvertiserRows {
  readonly #name: 'campaigns' | 'ad_groups';
  readonly #columns: readonly string[];
  readonly #accounts = new CommitCache<Columns>({ maxBytes: MAX_CACHED_BYTES, sizeOf: ({ bytes }) => bytes });

  /** @param omittedColumns columns that the rows do not need */
  constructor(name: 'campaigns' | 'ad_groups', omittedColumns: readonly string[] = []) {
    this.#name = name;
    this.#columns = DIMENSION_COLUMNS[name].filter((column) => !omittedColumns.includes(column));
  }

  /**
   * @param advertiserIds the advertisers that `selection` selects
   * @returns a page of their rows at `state`, ascending by id, and the number of all that have the status
   * @throws ApiError INVALID_REQUEST if the advertisers have more than 500,000 rows together; DEADLINE_EXCEEDED
   */
  async readPage(
    table: Table,
    advertiserIds: readonly number[],
    state: CommitState,
    selection: RowSelection,
    deadline: Deadline,
  ): Promise<{ readonly items: readonly AdvertiserRow[]; readonly total: number }> {
    const { account_id, advertiser_id, status, offset, size } = selection;
    const key = `${account_id}/${advertiser_id ?? 'all'}`;
    const read = async () => [await this.#read(table, advertiserIds, state, deadline)];
    const [columns] = await this.#accounts.read(state, [key], String, read);
    if (columns === undefined) throw new Error(`the ${this.#name} of ${key} are not cached`);
    const statuses = columns.values.get('status');
    const found = status === undefined ? columns.order : columns.order.filter((row) => statuses?.[row] === status);
    const page = found.subarray(offset, offset + size);
    return { items: Array.from(page, (row) => rowOf(columns, row)), total: found.length };
  }

  async #read(
    table: Table,
    advertiserIds: readonly number[],
    state: CommitState,
    deadline: Deadline,
  ): Promise<Columns> {
    const tables = await readDimensionTables(table, this.#name, advertiserIds, state, this.#columns);
    checkTotal([...tables.values()].reduce((total, { rows }) => total + rows, 0));
    const values = new Map<string, KeyValue[]>([...this.#columns, 'advertiserId'].map((name) => [name, []]));
    let rows = 0;
    let bytes = 0;
    for (const [id, { rows: added, columns }] of tables) {
      for (const [name, column] of values) {
        await takeTurn(deadline);
        const encoded = columns.get(name);
        const where = `${this.#name} of advertiser ${id}/${name}`;
        const keys =
          encoded === undefined ? constant(added, name === 'advertiserId' ? id : null) : decodeKeys(encoded, where);
        for (const value of keys.dictionary)
          bytes += DISTINCT_BYTES + (typeof value === 'string' ? 2 * value.length : 0);
        for (const value of expandKeys(keys)) column.push(value);
      }
      rows += added;
    }
    bytes += rows * (values.size * VALUE_BYTES + POSITION_BYTES);
    await takeTurn(deadline);
    return { values, order: orderOf(values.get('id') ?? []), bytes };
  }
}

function checkTotal(rows: number): void {
  if (rows <= MAX_ROWS) return;
  const detail = `Its advertisers have ${rows.toLocaleString('en-US')} together, and at most ${MAX_ROWS.toLocaleString('en-US')} can be listed; select one of them with advertiser_id.`;
  throw new ApiError('INVALID_REQUEST', 'The account is too large for this listing; see errors.', {
    fields: [{ in: 'query', pointer: 'account_id', code: 'TOO_EXPENSIVE', detail }],
  });
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
    return value === null ? [] : [[name, value] as const];
  });
  return Object.fromEntries(members);
}
