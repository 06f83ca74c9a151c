import type { DimensionTable } from '../../catalog/definitions.ts';
import type { EncodedTable } from '../../catalog/partitions.ts';
import type { CommitState } from '../commit/commit-state.ts';
import { readDimensionTables } from '../facts/dimensions.ts';
import type { Table } from '../table/client.ts';

/** So much of joined tables is kept; what an agency of hundreds of advertisers needs, and little beside a report's own memory. */
const MAX_BYTES = 64_000_000;

/** The joined tables of one commit, kept by an instance from report to report: they change only with a load. */
export class DimensionCache {
  #commit = -1;
  #bytes = 0;
  readonly #columns = new Map<string, Map<string, Uint8Array>>();
  readonly #rows = new Map<string, number | undefined>();

  /** Like `readDimensionTables`; reads only what is not kept. */
  async read(
    store: Table,
    table: DimensionTable,
    advertiserIds: readonly number[],
    state: CommitState,
    columns: readonly string[],
  ): Promise<ReadonlyMap<number, EncodedTable>> {
    if (state.commit !== this.#commit || this.#bytes > MAX_BYTES) this.#clear(state.commit);
    const missing = advertiserIds.filter((id) => !this.#has(`${table}/${id}`, columns));
    if (missing.length > 0) {
      const read = await readDimensionTables(store, table, missing, state, columns);
      if (state.commit === this.#commit) for (const id of missing) this.#keep(`${table}/${id}`, read.get(id));
      else return new Map([...this.#take(table, advertiserIds, columns), ...read]);
    }
    return this.#take(table, advertiserIds, columns);
  }

  #take(table: DimensionTable, ids: readonly number[], columns: readonly string[]): Map<number, EncodedTable> {
    const taken = new Map<number, EncodedTable>();
    for (const id of ids) {
      const key = `${table}/${id}`;
      const rows = this.#rows.get(key);
      if (rows === undefined) continue;
      const kept = [...(this.#columns.get(key) ?? [])].filter(([column]) => columns.includes(column));
      taken.set(id, { rows, columns: new Map(kept) });
    }
    return taken;
  }

  /** A table that does not exist is known, too. */
  #has(key: string, columns: readonly string[]): boolean {
    if (!this.#rows.has(key)) return false;
    const kept = this.#columns.get(key);
    return this.#rows.get(key) === undefined || columns.every((column) => kept?.has(column));
  }

  #keep(key: string, table: EncodedTable | undefined): void {
    this.#rows.set(key, table?.rows);
    const kept = this.#columns.get(key) ?? new Map<string, Uint8Array>();
    this.#columns.set(key, kept);
    for (const [column, bytes] of table?.columns ?? []) {
      if (!kept.has(column)) this.#bytes += bytes.length;
      kept.set(column, bytes);
    }
  }

  #clear(commit: number): void {
    this.#commit = commit;
    this.#bytes = 0;
    this.#columns.clear();
    this.#rows.clear();
  }
}
