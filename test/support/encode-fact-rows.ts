import type { BaseColumn, FactTable } from '../../shared/catalog/tables.ts';
import { type FactRows, sumDay } from '../../shared/columns/build-day.ts';
import { codeKeys } from '../../shared/columns/coded-keys.ts';
import type { KeyValue } from '../../shared/columns/column.ts';
import { type EncodedRun, encodeRun } from '../../shared/columns/runs.ts';

/** Fact rows with the values of keys instead of codes. */
export interface PlainFacts extends Omit<FactRows, 'keys'> {
  readonly keys: ReadonlyMap<BaseColumn, readonly KeyValue[]>;
}

export function codeFacts(facts: PlainFacts): FactRows {
  return { ...facts, keys: new Map([...facts.keys].map(([name, values]) => [name, codeKeys(values)])) };
}

/** @returns the columns of one day as a load stores them */
export function encodeFactRows(table: FactTable, facts: FactRows): EncodedRun {
  return encodeRun(sumDay(table, facts));
}
