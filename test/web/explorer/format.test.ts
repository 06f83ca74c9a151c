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

/** They were shown as $0.00 and 0.00%. */
test('values below the last digit that is usually shown have two significant digits', () => {
  const format = new Formatter('en-US');
  const money = { name: 'cost', type: 'decimal', unit: 'USD' };
  const won = { ...money, unit: 'KRW' };
  const rate = { name: 'x', type: 'decimal', unit: 'fraction' };
  const shown = [0.0042, -0.000_006, 0.0142, 0].map((value) => format.value(money, value));
  expect(shown).toEqual(['$0.0042', '−$0.000006', '$0.01', '$0.00']);
  expect([format.value(won, 0.42), format.value(rate, 0.000_042)]).toEqual(['₩0.42', '0.0042%']);
  expect([format.difference(money, 0.0042), format.difference(rate, -0.000_042)]).toEqual(['+$0.0042', '−0.0042 pp']);
  expect([format.compact(money, 0.0042), format.compact(money, 0)]).toEqual(['$0.0042', '$0']);
});
