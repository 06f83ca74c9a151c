import { expect, test } from 'vitest';
import { tableLines, warningLines } from '../../../../infra/cli/tools/report/print-table.ts';

test('a table may have more rows than a function call can have arguments', () => {
  const rows = 200_000;
  const clicks = {
    name: 'clicks',
    title: 'Clicks',
    role: 'metric',
    type: 'integer',
    unit: null,
    description: '',
  } as const;
  const report = { headers: [clicks], data: Array.from({ length: rows }, () => ({ clicks: 1 })), totals: {} };
  const lines = tableLines(report, { totals: false, chart: true });
  expect(lines).toHaveLength(2 + rows);
  expect(lines.at(-1)).toBe(`     1  ${'█'.repeat(20)}`);
});

test('a credit has a minus sign and a bar after it, in proportion to the others', () => {
  const cost = { name: 'cost', title: 'Cost', role: 'metric', type: 'decimal', unit: 'USD', description: '' } as const;
  const report = { headers: [cost], data: [{ cost: 10 }, { cost: -20 }], totals: { cost: -10 } };
  expect(tableLines(report, { totals: true, chart: true })).toEqual([
    'cost (USD)  bars: cost',
    '──────────',
    '     10.00  █████████▌',
    '    -20.00  -███████████████████',
    '──────────',
    '    -10.00',
  ]);
});

test('warnings of a file are followed by the number of those that did not fit into its headers', () => {
  const warnings = [{ code: 'NOT_AT_THIS_GRAIN', field: 'win_rate' }] as const;
  expect(warningLines(warnings)).toEqual(['! win_rate: NOT_AT_THIS_GRAIN']);
  expect(warningLines(warnings, 3).slice(1)).toEqual(['! 3 more warnings: --format json has all']);
});
