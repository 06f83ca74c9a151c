import { DuckDBDateValue } from '@duckdb/node-api';
import { expect, test } from 'vitest';
import { checkSameRows } from './check-same-rows.ts';
import { benchScan } from './scan.ts';

/** The bench itself compares the rows of both, and throws if they differ. */
test('the scans of the bench have the rows of DuckDB', async () => {
  expect(await benchScan(20_000)).toHaveLength(4);
});

const QUERY = { dimensions: ['daily_date', 'keyword'], metrics: ['clicks', 'cost', 'cost_per_click'] } as const;
const data = [{ daily_date: '1970-01-02', keyword: null, clicks: 3, cost: 0.7, cost_per_click: 0.7 / 3 }];
/** Money is in micros in the SQL. */
const sqlRow: readonly unknown[] = [new DuckDBDateValue(1), null, 3n, 700_000n, 700_000 / 3];

test('rows are the same if only the last digits of a ratio differ', () => {
  expect(() => checkSameRows(QUERY, data, [sqlRow])).not.toThrow();
});

test.each([
  ['another date', [sqlRow.with(0, new DuckDBDateValue(2))], 'row 0, daily_date: Endcap 1970-01-02, DuckDB 1970-01-03'],
  ['text instead of null', [sqlRow.with(1, 'null')], 'row 0, keyword: Endcap null, DuckDB null'],
  ['another sum', [sqlRow.with(3, 700_001n)], 'row 0, cost: Endcap 0.7, DuckDB 0.700001'],
  ['one row more', [sqlRow, sqlRow], 'Endcap returned 1 rows, and DuckDB 2'],
])('%s is a difference', (_what, rows, message) => {
  expect(() => checkSameRows(QUERY, data, rows)).toThrow(message);
});

test('no rows at all are an error, because nothing was compared', () => {
  expect(() => checkSameRows(QUERY, [], [])).toThrow('0 rows');
});
