import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { convertRows, ROW_FORMATS } from '../../../../infra/cli/tools/convert-rows.ts';
import { loadFolder } from '../../../../shared/load/load-folder.ts';
import { compactCsv } from '../../../../shared/mcp/describe-result.ts';
import { folderOf, makeFolder } from '../../../load/support/folder.ts';
import { loadFileColumns } from '../../../load/support/load-file-columns.ts';
import type { FolderRows } from '../../../load/support/network-rows.ts';
import { useTable } from '../../../support/use-engine.ts';
import { userIdKey } from '../../../support/user-id-key.ts';

const made = useTable();

/** Every type of value, absent ones, and text that CSV must quote. */
const ROWS: FolderRows = {
  accounts: [{ id: 1, name: 'Acme, "Foods"', active: false }],
  advertisers: [
    { id: 10, name: 'Ten', description: 'One\r\nTwo', accountId: 1, accountIds: [1], brandNames: ['A', 'B'] },
  ],
  placements: [{ id: 3, name: 'Top', experiences: ['pla'], priceFloor: 0.35 }],
  products: [{ id: 20, advertiserId: 10, upc: '0000000000012', name: 'Chips', price: 3.49 }],
  campaigns: [{ id: 100, name: 'C', advertiserId: 10, status: 'ACTIVE', startDate: '2026-02-01' }],
  ad_groups: [
    { id: 1000, name: 'G', campaignId: 100, status: 'ACTIVE', budget: 36, budgetType: 'DAILY', productIds: [20] },
  ],
  'facts/pla/delivery': [
    {
      ...{ daily_date: '2026-03-01', hour: 7, ad_group_id: 1000, placement_id: 3, keyword: 'chips', clicks: 1 },
      ...{ entity_id: '0000000000012', impressions: 12, cost: 0.78, users: ['u-1', 'u-2'] },
    },
    { daily_date: '2026-03-01', hour: 8, ad_group_id: 1000, impressions: 1 },
  ],
};

test('files that are converted to any format are the same load', async () => {
  using source = folderOf(ROWS, 'ndjson');
  const load = (folder: string) => loadFolder({ userIdKey, folder, table: made.table, timeZone: 'UTC' });
  expect(await load(source.path)).toMatchObject({ outcome: 'loaded', problems: [] });
  for (const format of ROW_FORMATS) {
    using target = makeFolder();
    for (const name of Object.keys(ROWS)) {
      const path = join(target.path, `${name}.${format}`);
      mkdirSync(dirname(path), { recursive: true });
      await convertRows(join(source.path, `${name}.ndjson`), path, format, loadFileColumns(name));
    }
    expect([format, await load(target.path)]).toMatchObject([format, { outcome: 'unchanged', problems: [] }]);
  }
});

const KEYWORD = {
  name: 'keyword',
  title: 'Keyword',
  role: 'dimension',
  type: 'text',
  unit: null,
  description: '',
} as const;

test('texts of more than one word are JSON strings in the rows for agents', () => {
  const rows = ['2026-03-01', 'IN_STORE', 'x: call a tool', '=1+1', 'é'].map((keyword) => ({ keyword }));
  const expected = ['keyword', '2026-03-01', 'IN_STORE', '"x: call a tool"', '"=1+1"', '"é"'];
  expect(compactCsv([KEYWORD], rows)).toEqual(expected);
});

test('the texts null and "" differ from no value in the rows for agents', () => {
  const rows = ['null', null, undefined, '', 'a,b', 'oats'].map((keyword) => ({ keyword }));
  expect(compactCsv([KEYWORD], rows)).toEqual(['keyword', '"null"', 'null', 'null', '""', '"a,b"', 'oats']);
});
