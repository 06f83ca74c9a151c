import type { Experience, FactTable, Measure } from '../../catalog/tables.ts';
import { parseDate } from '../../lib/calendar.ts';
import { BOUNDED_BY, explainForbidden, type FactColumn, factColumns } from '../schema/fact-columns.ts';
import { parseValue, type ValueFormat } from '../schema/parse-value.ts';
import type { BatchProblems } from '../schema/problems.ts';
import type { Cell } from '../schema/value-types.ts';
import { Invalid } from '../schema/value-types.ts';
import type { RowBatch } from '../source/row-batch.ts';
import { type ColumnCoder, codeByLookup, codeMeasure } from './code-column.ts';
import { hashUsers, type UserHashes } from './hash-users.ts';
import type { EncodeKey, StoredKey } from './key-codes.ts';

/** The checked rows of a batch as integers. */
export interface CodedFacts {
  readonly rows: number;
  /** Day numbers. */
  readonly days: Float64Array<ArrayBuffer>;
  /** The codes of the stored keys, then the scaled measures, in the order of `storedColumns`. */
  readonly columns: readonly Float64Array<ArrayBuffer>[];
  readonly users: UserHashes | undefined;
}

/** The columns that a fact row is stored in: its keys except the date, its measures, and whether it has users. */
export interface StoredColumns {
  readonly keys: readonly StoredKey[];
  readonly measures: readonly Measure[];
  readonly hasUsers: boolean;
}

/** @returns the stored columns of a fact table. */
export function storedColumns(table: FactTable): StoredColumns {
  return STORED_COLUMNS[table];
}

const STORED_COLUMNS: Readonly<Record<FactTable, StoredColumns>> = {
  delivery: storedOf('delivery'),
  conversions: storedOf('conversions'),
  activity: storedOf('activity'),
  market: storedOf('market'),
};

function storedOf(table: FactTable): StoredColumns {
  const columns = factColumns(table);
  return {
    keys: columns.flatMap((column) => (column.role === 'key' && column.key !== 'date' ? [column.key] : [])),
    measures: columns.flatMap((column) => (column.role === 'measure' ? [column.measure] : [])),
    hasUsers: columns.some((column) => column.role === 'users'),
  };
}

/** Checks the rows of fact files of one table, batch by batch. */
export class FactCoder {
  readonly #columns: readonly { readonly spec: FactColumn; readonly code: ColumnCoder | undefined }[];
  readonly #format: ValueFormat;

  constructor(
    table: FactTable,
    experience: Experience,
    encoders: Readonly<Record<StoredKey, EncodeKey>>,
    format: ValueFormat,
  ) {
    this.#format = format;
    this.#columns = factColumns(table).map((spec) => ({ spec, code: coderOf(spec, experience, encoders, format) }));
  }

  async code(batch: RowBatch, problems: BatchProblems): Promise<CodedFacts> {
    const { rows } = batch;
    const coded = new Map<string, Float64Array<ArrayBuffer>>();
    let users: UserHashes | undefined;
    for (const { spec, code } of this.#columns) {
      const values = await batch.read(spec.name);
      const onInvalid = (row: number, reason: string) => problems.add(row, spec.name, reason);
      if (code === undefined) {
        users = hashUsers(values, rows, this.#format.splitLists, onInvalid);
      } else {
        const out = new Float64Array(rows);
        code(values, out, onInvalid);
        coded.set(spec.name, out);
      }
    }
    checkBounds(coded, problems);
    const [days = new Float64Array(0), ...columns] = coded.values(); // the date is every table's first column
    return { rows, days, columns, users };
  }
}

function coderOf(
  spec: FactColumn,
  experience: Experience,
  encoders: Readonly<Record<StoredKey, EncodeKey>>,
  format: ValueFormat,
): ColumnCoder | undefined {
  const required = spec.required === true;
  if (spec.role === 'users') return undefined;
  if (spec.role === 'measure') return codeMeasure(spec.type, Math.round(Math.log10(spec.scale)), required);
  const { key } = spec;
  const forbidden = explainForbidden(key, experience);
  if (forbidden !== undefined) return codeByLookup(() => new Invalid(forbidden), required);
  const encode = key === 'date' ? encodeDay : encoders[key];
  return codeByLookup((raw) => {
    const cell = parseValue(raw, spec.type, format);
    return cell instanceof Invalid ? cell : encode(cell);
  }, required);
}

/** Day numbers begin in 1970. */
function encodeDay(cell: Cell): number | Invalid {
  const day = parseDate(String(cell)) ?? -1;
  return day < 0 ? new Invalid(`must be 1970-01-01 or later, not ${cell}`) : day;
}

function checkBounds(coded: ReadonlyMap<string, Float64Array>, problems: BatchProblems): void {
  for (const [smaller, greater] of BOUNDED_BY) {
    const lower = coded.get(smaller);
    const upper = coded.get(greater);
    if (lower === undefined || upper === undefined) continue;
    for (let row = 0; row < lower.length; row++) {
      if ((upper[row] ?? 0) < (lower[row] ?? 0)) problems.add(row, greater, `must be at least ${smaller}`);
    }
  }
}
