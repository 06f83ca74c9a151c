import { describe, expect, test } from 'vitest';
import { dayNumber, formatDay, yesterdayIn } from '../../../shared/lib/calendar.ts';
import { limitSeries, pickSeries } from '../../../shared/web/explorer/chart/limit-marks.ts';
import { fillDays } from '../../../shared/web/explorer/chart/marks.ts';
import { readDelivery } from '../../../shared/web/explorer/data/read-delivery.ts';
import { readValues } from '../../../shared/web/explorer/form/use-suggestions.ts';
import { matches } from '../../../shared/web/explorer/question/catalogue.ts';
import { changeOf, type Row } from '../../../shared/web/explorer/question/compare-rows.ts';
import { Formatter } from '../../../shared/web/explorer/question/format.ts';
import { EMPTY_QUESTION } from '../../../shared/web/explorer/question/question.ts';
import type { Api, ReportHeader, ReportPage } from '../../../shared/web/explorer/service/api.ts';
import type { Result } from '../../../shared/web/explorer/service/use-result.ts';
import { cellOf, nextEntry, nullReasons } from '../../../shared/web/explorer/table/columns.ts';
import { CATALOGUE } from './support.ts';

describe('days without a row are drawn', () => {
  const column = { name: 'cost' } as ReportHeader;
  const gapsOf = (...days: string[]) => days.map((day) => ({ from: day, through: day }));
  const draw = (name = 'cost') => {
    const result = {
      request: { startDate: '2026-02-02', endDate: '2026-02-06' },
      page: {
        meta: {
          dataCompleteThrough: '2026-02-05',
          data: { from: '2026-02-03', gaps: gapsOf('2026-02-02', '2026-02-04') },
        },
      },
    } as unknown as Result; // what the function reads of it
    const input = { axis: { name: 'daily_date' } as ReportHeader, result, catalogue: CATALOGUE, kind: 'line' } as const;
    const mark = { x: new Date('2026-02-03T00:00:00Z'), series: 's', value: 4, previous: null, label: '2026-02-03' };
    return fillDays(input, [mark], { ...column, name }, 's').map(({ value }) => value);
  };

  test('as a gap if nothing was delivered, also before the first load, and as 0 if it was', () => {
    expect(draw()).toEqual([null, 4, null, 0]);
    expect(draw('halo_roas')).toEqual([null, 4, null, null]);
  });

  test('as 0 for unique users as well, of whom a delivered day without rows has none', () => {
    expect(draw('unique_user_impressions')).toEqual([null, 4, null, 0]);
  });
});

/** The sum was called “Others”, and was added to the series of a campaign of that name. */
test('the smaller series are added up, and the sum is not that of a campaign of that name', () => {
  const x = new Date('2026-02-03T00:00:00Z');
  const marks = Array.from({ length: 9 }, (_, index) => {
    const series = index === 0 ? 'Others' : `s${index}`;
    return { x, series, value: 10 - index, previous: null, label: `2026-02-03 · ${series}` };
  });
  const others = { x, series: '(other)', value: 5, previous: null, label: '2026-02-03 · (other)' };
  const limited = limitSeries(marks, pickSeries(marks, true), true);
  expect(limited.marks).toEqual([...marks.slice(0, 7), others]);
  expect(limited.series).toEqual(['Others', 's1', 's2', 's3', 's4', 's5', 's6', '(other)']);
});

/** The last warning was shown, which says why the shares of the rows are of a part of the market. */
test('a total without a value has the first of the warnings about its field as the reason', () => {
  const warnings = [
    { code: 'NO_TOTAL_WITH_METRIC_FILTER', fields: ['share_of_voice'], message: 'no total' },
    { code: 'PART_OF_THE_MARKET', fields: ['share_of_voice'], message: 'a part' },
  ];
  const result = { page: { meta: { warnings } } } as unknown as Result; // what the function reads of it
  const reasons = [true, false].map((inTotals) => nullReasons(result, inTotals).get('share_of_voice'));
  expect(reasons).toEqual(['no total', 'a part']);
});

test('counts are written with their noun in the singular or plural', () => {
  const format = new Formatter('en-US');
  expect([0, 1, 1_200].map((count) => format.counted(count, 'row'))).toEqual(['0 rows', '1 row', '1,200 rows']);
});

test.each([
  ['decimal', 'USD', 1234.5, '$1,234.50', '1.234,50 $'],
  ['decimal', 'fraction', 0.01289, '1.29%', '1,29 %'],
  ['decimal', 'ratio', 1.284, '1.28', '1,28'],
  ['integer', 'count', 12345, '12,345', '12.345'],
  ['integer', null, 60011, '60011', '60011'],
  ['decimal', 'USD', null, '–', '–'],
] as const)('a %s in %s, %s, is written %s, and in German %s', (type, unit, value, english, german) => {
  const column = { name: 'x', type, unit };
  expect(new Formatter('en-US').value(column, value)).toBe(english);
  expect(new Formatter('de-DE').value(column, value).replaceAll('\u00A0', ' ')).toBe(german);
});

test('differences have a sign, and those of rates are percentage points', () => {
  const format = new Formatter('en-US');
  expect(format.difference({ name: 'x', type: 'decimal', unit: 'USD' }, -2.5)).toBe('−$2.50');
  expect(format.difference({ name: 'x', type: 'decimal', unit: 'fraction' }, 0.0123)).toBe('+1.23 points');
  expect([format.change(0.034), format.change(-0.5)]).toEqual(['+3.4%', '−50%']);
});

describe('the catalogue explains', () => {
  const context = { experience: 'pla', metrics: ['cost', 'halo_units'], dimensions: ['campaign_name'], filters: [] };

  test('that a metric has no meaning in the experience', () => {
    expect(CATALOGUE.conflictOf('video_starts', context)).toMatchObject({
      remove: [],
      reason: expect.stringContaining('PLA'),
    });
    expect(CATALOGUE.conflictOf('video_starts', { ...context, experience: 'toa' })).toBeUndefined();
  });

  test('which metrics a dimension would leave without values', () => {
    expect(CATALOGUE.conflictOf('purchased_entity_name', context)?.remove).toEqual(['cost']);
    expect(CATALOGUE.conflictOf('placement', context)).toBeUndefined();
  });

  test('which dimensions leave a metric without values', () => {
    const placed = { ...context, dimensions: ['placement', 'campaign_name'] };
    expect(CATALOGUE.conflictOf('time_live', placed)?.remove).toEqual(['placement']);
    expect(CATALOGUE.nullReason('placement', { ...placed, metrics: ['time_live'] })).toBeUndefined();
    expect(CATALOGUE.conflictOf('time_live', { ...context, filters: [{ field: 'keyword' }] })?.remove).toEqual([]);
  });
});

test('fields are found by words of their title, name, group and meaning, and by other words for them', () => {
  const [roas, rate] = ['halo_roas', 'click_through_rate'].map((name) => CATALOGUE.metric(name));
  if (roas === undefined || rate === undefined) throw new Error('the catalogue lacks halo_roas or click_through_rate');
  expect(['roas', 'RETURN spend', 'revenue click', ''].every((text) => matches(roas, text))).toBe(true);
  expect([matches(roas, 'return view'), matches(roas, 'ctr'), matches(rate, 'CTR')]).toEqual([false, false, true]);
});

/** Null is the last row, so it was counted although no page of suggestions had it: “200 of 201 values; type to find others”. */
test('suggested values are counted without null', async () => {
  const all: Row[] = [...Array.from({ length: 200 }, (_, index) => ({ keyword: `k${index}` })), { keyword: null }];
  const report: Api['report'] = async (_, { filters }, { offset, size }) => {
    const isKept = (row: Row) => row.keyword !== null || !filters.some(({ operator }) => operator === 'NOT_NULL');
    const rows = all.filter(isKept);
    return { data: rows.slice(offset, offset + size), totalCount: rows.length } as unknown as ReportPage; // what the function reads of it
  };
  const field = CATALOGUE.dimension('keyword');
  if (field === undefined) throw new Error('the catalogue lacks keyword');
  const context = { api: { report }, catalogue: CATALOGUE, question: EMPTY_QUESTION, advertisers: [] };
  const read = (text: string) => readValues({ ...context, field, text, signal: new AbortController().signal });
  for (const text of ['', 'k']) expect(await read(text)).toMatchObject({ total: 200, values: { length: 200 } });
});

/** Days that the reports did not ask for were shown as gaps. */
test('there are no gaps after yesterday, if data is complete through a later day', async () => {
  const yesterday = dayNumber(yesterdayIn('UTC'));
  const report: Api['report'] = async () => {
    const data = [{ daily_date: formatDay(yesterday - 2), impressions: 1, halo_exposed_transactions: 1 }];
    const meta = { dataVersion: '7', dataCompleteThrough: formatDay(yesterday + 3) };
    return { headers: [], data, totalCount: 1, totals: {}, meta } as unknown as ReportPage; // as above
  };
  const { gaps } = await readDelivery({ report }, 'pla', CATALOGUE.calendar);
  expect(gaps).toEqual([yesterday - 1, yesterday]);
});

const DAY_0 = dayNumber(yesterdayIn('UTC')) - 60;

/** @returns gaps and partial days of rows per day, all numbered from DAY_0 */
async function deliveryOf(
  days: Readonly<Record<number, { impressions: number; transactions?: number; hasActivity?: boolean }>>,
  { through }: { through?: number } = {},
) {
  const dateOf = (day: number | string) => formatDay(DAY_0 + Number(day));
  const rows = Object.entries(days).map(([day, { impressions, transactions = 1, hasActivity = true }]) => ({
    ...{ daily_date: dateOf(day), impressions, halo_exposed_transactions: transactions },
    time_live: hasActivity ? 1 : null,
  }));
  const meta = { dataVersion: '7', dataCompleteThrough: through === undefined ? null : dateOf(through) };
  const report: Api['report'] = async () =>
    ({ headers: [], data: rows, totalCount: rows.length, totals: {}, meta }) as unknown as ReportPage; // as above
  const { gaps, partial } = await readDelivery({ report }, 'pla', CATALOGUE.calendar);
  return { gaps: gaps.map((day) => day - DAY_0), partial: [...partial].map(([day, why]) => [day - DAY_0, why]) };
}

test('gaps are days without impressions between others, or before the day through which data is complete', async () => {
  const days = { 10: { impressions: 5 }, 11: { impressions: 0 }, 13: { impressions: 2 } };
  expect((await deliveryOf(days)).gaps).toEqual([11, 12]);
  expect((await deliveryOf(days, { through: 15 })).gaps).toEqual([11, 12, 14, 15]);
  expect((await deliveryOf({}, { through: 15 })).gaps).toEqual([]);
});

describe('a day is partial', () => {
  test('if conversions or activity are missing, but not before the first day that has some', async () => {
    const { partial } = await deliveryOf({
      9: { impressions: 5, transactions: 0, hasActivity: false },
      10: { impressions: 5 },
      11: { impressions: 5, transactions: 0 },
      12: { impressions: 5, transactions: 0, hasActivity: false },
      13: { impressions: 0 }, // a gap, which is marked as such
    });
    expect(partial).toEqual([
      [11, ['no conversions']],
      [12, ['no conversions', 'no activity']],
    ]);
    expect((await deliveryOf({ 10: { impressions: 5, transactions: 0 } })).partial).toEqual([]); // none were ever loaded
  });
});

test('the advertisers with delivery are counted on days whose rows were all read', async () => {
  const rowsOf = (day: number, impressions: readonly number[]) =>
    impressions.map((count, id) => ({ daily_date: formatDay(DAY_0 + day), advertiser_id: id, impressions: count }));
  const data = [...rowsOf(12, [3, 0, 4]), ...rowsOf(11, [5]), ...rowsOf(10, [1, 1])];
  const meta = { dataVersion: '7', dataCompleteThrough: null };
  const countsOf = async (totalCount: number) => {
    const report: Api['report'] = async () => ({ data, totalCount, meta }) as unknown as ReportPage; // as above
    const { advertisers } = await readDelivery({ report }, 'pla', CATALOGUE.calendar);
    return [...advertisers].map(([day, count]) => [day - DAY_0, count]);
  };
  const whole = [
    [12, 2],
    [11, 1],
  ];
  expect(await countsOf(6)).toEqual([...whole, [10, 2]]);
  expect(await countsOf(7)).toEqual(whole);
});

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
