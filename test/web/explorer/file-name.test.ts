import { expect, test } from 'vitest';
import type { Result } from '../../../shared/web/explorer/app/use-result.ts';
import { fileNameOf } from '../../../shared/web/explorer/export/file-name.ts';
import { describeOwners, describeScope } from '../../../shared/web/explorer/question/describe.ts';
import { Formatter } from '../../../shared/web/explorer/question/format.ts';
import { CATALOGUE } from './support.ts';

const ACCOUNTS = [{ id: 1, name: 'Müller & Söhne: Groß' }];
const FILTERS = [
  { field: 'keyword', operator: 'IN', values: ['potato chips', 'tortilla chips', 'salsa'] },
  { field: 'click_through_rate', operator: 'GREATER_THAN', values: ['0.01'] },
];

/** The name had experience, dimensions and dates only. */
test('a file name has experience, owners, fields, period, filters and data through, shortened to letters and digits', () => {
  const owners = describeOwners({ account: 1, advertisers: [7] }, ACCOUNTS, [{ id: 7, name: 'Crinklefen Foods' }]);
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
