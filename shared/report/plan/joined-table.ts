import type { DimensionTable } from '../../catalog/definitions.ts';
import { DIMENSION_COLUMNS } from '../../catalog/dimension-tables.ts';
import { decodeKeys, expandKeys } from '../../columns/coded-keys.ts';
import type { KeyValue } from '../../columns/column.ts';
import type { EncodedTable } from '../../layout/partitions.ts';

/** A dimension table, decoded: the row of each key, and the columns that the report needs. */
export class JoinedTable {
  readonly #rowOf = new Map<KeyValue, number>();
  readonly #columns = new Map<string, readonly KeyValue[]>();
  readonly #key: string;

  private constructor(table: DimensionTable) {
    this.#key = DIMENSION_COLUMNS[table][0];
  }

  /**
   * @returns the table with all given columns
   * @throws CorruptColumnError
   */
  static decode(table: DimensionTable, { columns }: EncodedTable): JoinedTable {
    const joined = new JoinedTable(table);
    for (const [name, encoded] of columns)
      joined.#columns.set(name, expandKeys(decodeKeys(encoded, `${table}.${name}`)));
    joined.#columns.get(joined.#key)?.forEach((value, row) => {
      joined.#rowOf.set(value, row);
    });
    return joined;
  }

  get keys(): readonly KeyValue[] {
    return this.#columns.get(this.#key) ?? [];
  }

  /** @returns the column's value in the row of `key`; null where there is no such row */
  get(key: KeyValue, column: string): KeyValue {
    const row = this.#rowOf.get(key);
    return row === undefined ? null : (this.#columns.get(column)?.[row] ?? null);
  }
}
