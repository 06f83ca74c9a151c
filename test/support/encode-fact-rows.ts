import type { FactTable } from '../../shared/catalog/tables.ts';
import { type CodedRows, type EncodedRows, encodeSummedDay, sumDay } from '../../shared/columns/build-day.ts';

/** @returns the columns of one day as a load stores them */
export function encodeFactRows(table: FactTable, facts: CodedRows): EncodedRows {
  return encodeSummedDay(sumDay(table, facts));
}
