import { expect, test } from 'vitest';
import { Formatter } from '../../../shared/web/explorer/question/format.ts';

test('negative values have a minus sign, which is as wide as a plus, in tables and on axes', () => {
  const format = new Formatter('en-US');
  const cost = { name: 'cost', type: 'decimal', unit: 'USD' };
  const rate = { name: 'clicked_conversion_rate', type: 'decimal', unit: 'fraction' };
  const units = { name: 'halo_units', type: 'integer', unit: 'count' };
  const shown = [format.value(cost, -1234.5), format.value(rate, -0.0125), format.value(units, -1200)];
  expect(shown).toEqual(['−$1,234.50', '−1.25%', '−1,200']);
  expect([format.compact(cost, -1500), format.compact(rate, -0.01)]).toEqual(['−$1.5K', '−1%']);
});
