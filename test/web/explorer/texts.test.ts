import { expect, test } from 'vitest';
import { fileNameOf } from '../../../shared/web/explorer/export/file-name.ts';
import { describeOwners, describeScope } from '../../../shared/web/explorer/question/describe.ts';
import { Formatter } from '../../../shared/web/explorer/question/format.ts';
import type { Result } from '../../../shared/web/explorer/service/use-result.ts';
import { CATALOGUE } from './support.ts';

const ACCOUNTS = [{ id: 1, name: 'Müller & Söhne: Groß' }];
const FILTERS = [
  { field: 'keyword', operator: 'IN', values: ['potato chips', 'tortilla chips', 'salsa'] },
  { field: 'click_through_rate', operator: 'GREATER_THAN', values: ['0.01'] },
];

/** The name had experience, dimensions and dates only. */
test('a file name has experience, owners, fields, period, filters and data through, shortened to letters and digits', () => {
  const owners = describeOwners({ account: 1, advertisers: [7] }, ACCOUNTS, [
    { id: 7, name: 'Crinklefen Foods', account: 'x' },
  ]);
  const result = {
    question: { experience: 'toa' },
    request: {
      startDate: '2026-02-02',
      endDate: '2026-03-01',
      dimensions: ['campaign_name'],
      filters: FILTERS,
    },
    page: { meta: { dataCompleteThrough: null } },
  } as unknown as Result; // what the function reads of it
  const scope = 'endcap-toa-müller-söhne-groß-crinklefen-foo-campaign_name-2026-02-02-2026-03-01';
  const rest = 'keyword-in-potato-chips-tortilla-click_through_rate-greater_than-data-none';
  expect(fileNameOf({ result, owners })).toBe(`${scope}-${rest}`);
  const meta = { ...result.page.meta, compared: { startDate: '2026-01-05', endDate: '2026-02-01' } };
  const compared = { ...result, page: { ...result.page, meta } } as unknown as Result; // as above
  expect(fileNameOf({ result: compared, owners })).toBe(`${scope}-against-2026-01-05-2026-02-01-${rest}`);
});

test('pictures and paper state experience, owners and filters', () => {
  const scope = describeScope(
    { experience: 'pla', filters: FILTERS },
    'all 3 accounts',
    CATALOGUE,
    new Formatter('en-US'),
  );
  expect(scope).toEqual([
    'PLA',
    'all 3 accounts',
    'Keyword is one of potato chips, tortilla chips, salsa',
    'Click-through rate > 1%',
  ]);
});

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
  expect([format.difference(money, 0.0042), format.difference(rate, -0.000_042)]).toEqual([
    '+$0.0042',
    '−0.0042 points',
  ]);
  const ticks = [0, 0.0042, 0.01, 0.015, 0.5, 1.5].map((value) => format.compact(money, value));
  expect(ticks).toEqual(['$0', '$0.0042', '$0.01', '$0.015', '$0.5', '$1.5']);
});
