import { expect, test } from 'vitest';
import { dimensionValues } from '../../../shared/report/finish/dimension-values.ts';
import { GroupTable } from '../../../shared/report/scan/group-table.ts';

test('a dimension by which the facts are not grouped throws, instead of being null in all rows', () => {
  const facts = { axes: [], table: new GroupTable(0) };
  expect(() => dimensionValues(facts, ['hour'])).toThrow(new RangeError('the facts are not grouped by hour'));
});
