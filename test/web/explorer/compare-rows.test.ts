import { describe, expect, test } from 'vitest';
import type { ReportHeader } from '../../../shared/web/explorer/app/api.ts';
import { changeOf } from '../../../shared/web/explorer/question/compare-rows.ts';
import { Formatter } from '../../../shared/web/explorer/question/format.ts';
import { cellOf, nextEntry } from '../../../shared/web/explorer/table/columns.ts';

const COST = { name: 'cost', role: 'metric', type: 'decimal', unit: 'USD' } as ReportHeader; // what is read of it
const NAME = { name: 'campaign_name', role: 'dimension', type: 'text', unit: null } as ReportHeader;

test('a change is that of the response, and has no fraction where the earlier value is 0', () => {
  const changes = { change: { cost: 1, clicks: 3, ctr: null }, relativeChange: { cost: 0.5, clicks: null, ctr: null } };
  expect(['cost', 'clicks', 'ctr', 'units'].map((name) => changeOf(changes, name))).toEqual([
    { difference: 1, fraction: 0.5 },
    { difference: 3, fraction: undefined },
    undefined,
    undefined,
  ]);
});

test('a cell has the change below its figure', () => {
  const shown = [
    [3, 2, 1, 0.5],
    [1, 0, 1, null],
    [0, 5, -5, -1],
    [1, null, null, null],
  ].map(([cost = null, before = null, change = null, relativeChange = null]) =>
    cellOf(
      COST,
      { row: { cost }, previous: { cost: before }, change: { cost: change }, relativeChange: { cost: relativeChange } },
      new Formatter('en-US'),
      new Map(),
    ),
  );
  expect(shown.map(({ change }) => change)).toEqual(['+$1.00 (+50%)', '+$1.00', '−$5.00 (−100%)', '–']);
  expect(shown.map(({ hint }) => hint)).toContain('Compared: $5.00');
});

describe('a title of the table', () => {
  const orders = (header: ReportHeader, isCompared: boolean) => {
    let last: ReturnType<typeof nextEntry> | undefined;
    return Array.from({ length: 5 }, () => {
      last = nextEntry(header, last, isCompared);
      return [last.order, last.by ?? 'value'].join(' by ');
    });
  };

  test('sorts by the figure in both orders, and with a compared period then by its change', () => {
    const [down, up] = ['DESC by value', 'ASC by value'];
    expect(orders(COST, false)).toEqual([down, up, down, up, down]);
    expect(orders(COST, true)).toEqual([down, up, 'DESC by change', 'ASC by change', down]);
    expect(orders(NAME, true)).toEqual([up, down, up, down, up]);
  });
});
