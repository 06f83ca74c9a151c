import type { FactTable } from '../../catalog/tables.ts';
import { NO_KEYS } from '../../columns/coded-keys.ts';
import { type FactColumn, factColumns, storedColumns } from '../schema/fact-columns.ts';
import { BlockWriter } from './blocks.ts';
import type { CodedFacts } from './code-facts.ts';

/** The rows of a section as blocks, each with rows of one day of an advertiser. Plain data with a single buffer, which threads transfer. */
export interface FactBlocks {
  readonly blocks: readonly FactBlock[];
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Whether all rows have an hour; else none has. */
  readonly hasHours: boolean;
}

interface FactBlock {
  /** `PLATFORM_ID` for market. */
  readonly advertiserId: number;
  /** Day number. */
  readonly day: number;
  readonly rows: number;
  /** A bit for each of `factColumns` that has a value in some row. */
  readonly valued: bigint;
  /** Where the block ends in `bytes`. */
  readonly end: number;
}

/** Rows of one day of an advertiser. */
interface Part {
  readonly advertiserId: number;
  readonly day: number;
  readonly rows: number[];
}

/** @returns a block per advertiser and day, in the order of their first rows. Within a block, rows keep their order. */
export function sortFacts(facts: CodedFacts, table: FactTable): FactBlocks {
  const writer = new BlockWriter(storedColumns(table), facts);
  const tests = factColumns(table).map((column) => valueTest(facts, column));
  const blocks = partition(facts).map(({ advertiserId, day, rows }) => {
    const valued = tests.reduce((bits, hasValue, at) => (rows.some(hasValue) ? bits | (1n << BigInt(at)) : bits), 0n);
    return { advertiserId, day, rows: rows.length, valued, end: writer.write(rows) };
  });
  return { blocks, bytes: writer.finish(), hasHours: facts.keys.has('hour') };
}

/** @returns whether a row has a value in the column; of users, never */
function valueTest({ keys, measures, emptyRows }: CodedFacts, column: FactColumn): (row: number) => boolean {
  if (column.role === 'measure') {
    const empty = emptyRows.get(column.measure);
    return (row) => measures.has(column.measure) && empty?.[row] !== 1;
  }
  const codes = column.role === 'key' ? keys.get(column.key)?.codes : undefined;
  return (row) => (codes?.[row] ?? 0) !== 0; // 0 is the code of absent values
}

function partition({ rows, keys, advertisers }: CodedFacts): Part[] {
  const dates = keys.get('date') ?? NO_KEYS;
  const parts: Part[] = [];
  const byAdvertiser = new Map<number, Map<number, Part>>();
  let part: Part | undefined;
  for (let row = 0; row < rows; row++) {
    const advertiserId = advertisers[row] ?? 0;
    const day = Number(dates.dictionary[dates.codes[row] ?? 0]);
    if (part?.day !== day || part.advertiserId !== advertiserId) {
      const days = byAdvertiser.get(advertiserId) ?? new Map<number, Part>();
      byAdvertiser.set(advertiserId, days);
      part = days.get(day);
      if (part === undefined) {
        part = { advertiserId, day, rows: [] };
        days.set(day, part);
        parts.push(part);
      }
    }
    part.rows.push(row);
  }
  return parts;
}
