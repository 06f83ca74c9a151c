import { describe, expect, test } from 'vitest';
import type { ReportHeader } from '../../../shared/web/explorer/app/api.ts';
import { changeOf } from '../../../shared/web/explorer/question/compare-rows.ts';
import { Formatter } from '../../../shared/web/explorer/question/format.ts';
import { cellOf, nextEntry } from '../../../shared/web/explorer/table/columns.ts';

const COST = { name: 'cost', role: 'metric', type: 'decimal', unit: 'USD' } as ReportHeader; // what is read of it
const NAME = { name: 'campaign_name', role: 'dimension', type: 'text', unit: null } as ReportHeader;

test('a change is a difference, and a fraction of the earlier value unless that is 0', () => {
  expect(changeOf(3, 2)).toEqual({ difference: 1, fraction: 0.5 });
  expect(changeOf(3, 0)).toEqual({ difference: 3, fraction: undefined });
  expect([changeOf(null, 2), changeOf(2, undefined), changeOf('a', 'b')]).toEqual([undefined, undefined, undefined]);
});

test('the rounding of binary fractions is not a change', () => {
  expect(changeOf(0.1 + 0.2, 0.3)?.difference).toBe(0);
  expect(changeOf(0.300_001, 0.3)?.difference).toBeCloseTo(0.000_001, 12);
});

test('a cell has the change below its figure', () => {
  const shown = [
    [3, 2],
    [1, 0],
    [0, 5],
    [1, null],
  ].map(([cost = null, before = null]) =>
    cellOf(COST, { row: { cost }, previous: { cost: before } }, new Formatter('en-US'), new Map()),
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
