import { expect, test } from 'vitest';
import { benchScan } from './scan.ts';

/** The bench itself compares the rows of both, and throws if they differ. */
test('the scans of the bench have the rows of DuckDB', async () => {
  expect(await benchScan(20_000)).toHaveLength(4);
});
