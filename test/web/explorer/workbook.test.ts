import { expect, test } from 'vitest';
import { readWorkbook } from '../../support/read-workbook.ts';
import { CATALOGUE } from './support.ts';
import { NASTY_ROWS, writeRows } from './workbook-report.ts';

const read = async (...[options]: Parameters<typeof writeRows>) =>
  readWorkbook(new Uint8Array(await (await writeRows(options)).arrayBuffer()));

const [MONEY, PERCENT, DAY] = ['[$USD] #,##0.00', '0.00%', 'yyyy-mm-dd'];

test('a workbook has titles, and texts, ids, dates, money, percent and numbers as such; what is unknown is empty', async () => {
  const { report } = await read();
  expect(report).toEqual([
    ['Campaign', 'Campaign id', CATALOGUE.titleOf('entity_id'), 'Hour', 'Day', 'Cost', 'Click-through rate', 'Clicks'],
    [
      '=HYPERLINK("http://x","y")',
      '60001',
      '00012345678905',
      [0, 'General'],
      [46081, DAY],
      [1234.5, MONEY],
      [0.0139, PERCENT],
      [0, '#,##0'],
    ],
    ['+1&<b>"quoted"</b>', '1', '12345', [23, 'General'], [45351, DAY], [0, MONEY], [0, PERCENT], [7, '#,##0']],
    ['_x0041_ and __x000a_', '2', 'é', null, null, null, null, null],
    [
      'constructor',
      '9007199254740991',
      '1e5',
      [5, 'General'],
      [46082, DAY],
      '12345678901234.56',
      [1 / 3, PERCENT],
      '1234567890123456',
    ],
    [
      'two\nlines',
      '3',
      '5-6',
      [5, 'General'],
      [46082, DAY],
      [123456789012345, MONEY],
      [-1e-7, PERCENT],
      [123456789012345, '#,##0'],
    ],
  ]);
});

test('white space is kept, and characters that XML forbids are escaped', async () => {
  const name = ' \ta\u0000b\u001f\rc\ufffe\ud800d';
  expect((await read({ rows: [[name]] })).report[1]?.[0]).toBe(name);
});

test('all pages are in one sheet, and totals, question, what figures depend on, warnings and link in another', async () => {
  const { report, about } = await read({ size: 2 });
  expect(report).toHaveLength(1 + NASTY_ROWS.length);
  expect(report).toEqual((await read()).report);
  const plain = (cell: unknown) => (typeof cell === 'string' ? cell.replaceAll('\u2009', ' ') : cell);
  expect(about.map(([title, value]) => [title, plain(value)])).toEqual([
    ['Report', 'Cost by Campaign'],
    ['Experience', 'PLA'],
    ['Accounts', 'One'],
    ['Filter', 'Clicks > 1'],
    ['Period', 'Feb 1 – Mar 1, 2026'],
    ['Data through', 'Mar 1, 2026'],
    ['Time zone', 'UTC'],
    ['Currency', 'USD'],
    ['Attribution', '14 days, conversion day'],
    ['Method', 'https://example.com/method'],
    ['Rows', [5, '#,##0']],
    ['Link', 'https://example.com/#/report'],
    ['Warning', 'Hours are unknown.'],
    [null, null],
    ['Totals', 'Total'],
    ['Cost', [99.5, MONEY]],
    ['Click-through rate', null],
    ['Clicks', [7, '#,##0']],
  ]);
});

test('a report of more rows than a sheet has is not written, and CSV is offered', async () => {
  await expect(writeRows({ totalCount: 1_048_576 })).rejects.toThrow('1,048,575 rows at most, so choose CSV');
});
