import { afterEach, describe, expect, test, vi } from 'vitest';
import { DIMENSION_NAMES, dimensionOf } from '../../shared/catalog/dimensions.ts';
import { METRIC_NAMES, metricOf } from '../../shared/catalog/metrics.ts';
import { OPERATOR_NAMES, OPERATORS } from '../../shared/catalog/operators.ts';
import { EXPERIENCES } from '../../shared/catalog/tables.ts';
import { explainWrongCount } from '../../shared/contract/report/operator-counts.ts';
import { ReportRequest, submitReportInput } from '../../shared/contract/report/report-request.ts';
import { readReportSettings } from '../../shared/contract/report/report-settings.ts';
import type { ReportQuery } from '../../shared/report/query/query.ts';
import { GOOD_REPORT } from '../support/report-settings.ts';

const accepts = (change: object) => ReportRequest.safeParse({ ...GOOD_REPORT, ...change }).success;
const withFilter = (field: string, operator: string, values: readonly string[]) =>
  accepts({ filters: [{ field, operator, values }] });

/** A valid filter value of each type. */
const SAMPLES = { text: 'a b', integer: '-7', decimal: '0.25', date: '2026-02-28' } as const;

describe('a report request', () => {
  test('is assignable to a report query, apart from its advertiser ids and the compared period', () => {
    const { advertiserIds, compare, ...rest } = ReportRequest.parse(GOOD_REPORT);
    const query: ReportQuery = { experience: 'pla', ...rest };
    expect({ ...query, advertiserIds, compare }).toEqual({ experience: 'pla', ...GOOD_REPORT });
  });

  test('compares texts in NFC, as they are loaded', () => {
    const filters = [{ field: 'keyword', operator: 'EQUALS', values: ['cafe\u0301'] }];
    expect(ReportRequest.parse({ ...GOOD_REPORT, filters }).filters[0]?.values).toEqual(['caf\u00e9']);
  });

  test('may have all metrics and all dimensions', () => {
    expect(accepts({ metrics: METRIC_NAMES, dimensions: DIMENSION_NAMES })).toBe(true);
  });

  test('may have metrics only, or dimensions only', () => {
    expect(accepts({ dimensions: [] })).toBe(true);
    expect(accepts({ metrics: [] })).toBe(true);
  });

  test('may filter by every field with every operator, with values of the type of the field', () => {
    const types = [
      ...METRIC_NAMES.map((name) => [name, metricOf(name).type] as const),
      ...DIMENSION_NAMES.map((name) => [name, dimensionOf(name).type] as const),
    ];
    const counts = { none: 0, one: 1, two: 2, some: 3 } as const;
    const rejected = types.flatMap(([name, type]) =>
      OPERATOR_NAMES.filter((operator) => {
        const values = Array<string>(counts[OPERATORS[operator].arity]).fill(SAMPLES[type]);
        return !withFilter(name, operator, values);
      }).map((operator) => `${name} ${operator}`),
    );
    expect(rejected).toEqual([]);
  });

  test.each([
    ['may cover one day', '2026-02-01', '2026-02-01', true],
    ['may start on a leap day', '2024-02-29', '2024-02-29', true],
    ['may cover 732 days', '2024-01-01', '2026-01-01', true],
    ['must not have dates with spaces', ' 2026-02-01', '2026-02-02', false],
  ])('%s', (_, startDate, endDate, expected) => {
    expect(accepts({ startDate, endDate })).toBe(expected);
  });

  test.each([
    [0, 1],
    [Number.MAX_SAFE_INTEGER, 10_000],
  ])('may have offset %d and size %d', (offset, size) => {
    expect(accepts({ pagination: { offset, size } })).toBe(true);
  });

  test.each([
    ['a decimal for an integer field', 'clicks', 'EQUALS', ['1.5'], false],
    ['an exponent for an integer field', 'clicks', 'EQUALS', ['1e3'], false],
    ['a very long integer for an integer field', 'clicks', 'LESS_THAN', ['9'.repeat(50)], true],
    ['an empty string for an integer field', 'clicks', 'EQUALS', [''], false],
    ['an integer for a decimal field', 'cost', 'GREATER_THAN', ['3'], true],
    ['a number that starts with a point for a decimal field', 'cost', 'GREATER_THAN', ['.5'], false],
    ['Infinity for a decimal field', 'cost', 'GREATER_THAN', ['Infinity'], false],
    ['an empty string for a text field', 'keyword', 'EQUALS', [''], true],
    ['a date that does not exist for a date field', 'campaign_end_date', 'GREATER_THAN', ['2026-02-30'], false],
    ['a pattern for an integer field', 'campaign_id', 'LIKE', ['12%'], true],
    ['a part of the written form for a date field', 'daily_date', 'STARTS_WITH', ['2026-03'], true],
  ] as const)(
    'has filter values of the type of the field: %s (%s %s %j) is valid: %s',
    (_, field, operator, values, expected) => {
      expect(withFilter(field, operator, values)).toBe(expected);
    },
  );

  test('may have up to 1,000 values in a filter, and values of up to 65,536 bytes in all filters', () => {
    const values = Array.from({ length: 1_000 }, (_, index) => String(index));
    expect(withFilter('entity_id', 'IN', values)).toBe(true);
    expect(withFilter('keyword', 'EQUALS', ['é'.repeat(32_768)])).toBe(true);
    const half = { field: 'keyword', operator: 'EQUALS', values: ['é'.repeat(16_384)] };
    expect(accepts({ filters: [half, half] })).toBe(true);
  });

  test('has integers of any size as advertiser ids', () => {
    expect(accepts({ advertiserIds: [1, -1, 1e300] })).toBe(true);
  });
});

test.each([
  ['EQUALS', [false, true, true]],
  ['IN', [false, true, true]],
  ['NOT_EQUALS', [false, true, true]],
  ['NOT_IN', [false, true, true]],
  ['GREATER_THAN', [false, true, false]],
  ['GREATER_THAN_OR_EQUAL', [false, true, false]],
  ['LESS_THAN', [false, true, false]],
  ['LESS_THAN_OR_EQUAL', [false, true, false]],
  ['BETWEEN', [false, false, true]],
  ['CONTAINS', [false, true, true]],
  ['NOT_CONTAINS', [false, true, true]],
  ['STARTS_WITH', [false, true, true]],
  ['LIKE', [false, true, false]],
  ['LIKE_IN', [false, true, true]],
  ['NOT_LIKE', [false, true, true]],
  ['IS_NULL', [true, false, false]],
  ['NOT_NULL', [true, false, false]],
] as const)('%s accepts zero, one and two values: %j', (operator, expected) => {
  expect([0, 1, 2].map((count) => explainWrongCount(operator, count) === undefined)).toEqual(expected);
});

test.each(EXPERIENCES)('experience_name "matching is case insensitive": %s', (name) => {
  const spellings = [name, name.toUpperCase(), `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`];
  const parsed = spellings.map((experience_name) => submitReportInput.path.parse({ experience_name }));
  expect(parsed).toEqual(spellings.map(() => ({ experience_name: name })));
});

afterEach(() => void vi.unstubAllEnvs());

const attribution = { windowDays: 14, basis: 'conversion day' };
const ALL = { pla: attribution, toa: { windowDays: 7, basis: 'click day' }, carousel: attribution };

function useEnvironment(text: string, minOthers = '3', weekStartsOn = 'Sunday'): void {
  vi.stubEnv('TIME_ZONE', 'Europe/Berlin');
  vi.stubEnv('CURRENCY', 'EUR');
  vi.stubEnv('ATTRIBUTION', text);
  vi.stubEnv('MARKET_MIN_OTHERS', minOthers);
  vi.stubEnv('PRODUCT_IDS', 'upc');
  vi.stubEnv('WEEK_STARTS_ON', weekStartsOn);
}

test('readReportSettings returns the settings of each experience from the environment variables', () => {
  useEnvironment(JSON.stringify(ALL));
  expect(readReportSettings().toa).toEqual({
    timezone: 'Europe/Berlin',
    currency: 'EUR',
    attribution: { windowDays: 7, basis: 'click day' },
    marketMinOthers: 3,
    weekStartsOn: 'Sunday',
    hasTextIds: false,
  });
});

test('readReportSettings has a minimum of users where one is set', () => {
  useEnvironment(JSON.stringify(ALL));
  expect(readReportSettings().pla).not.toHaveProperty('minUsers'); // the version of the data depends on all settings
  vi.stubEnv('MIN_USERS', '50');
  expect(readReportSettings().pla).toMatchObject({ minUsers: 50 });
  expect(readReportSettings().all).toMatchObject({ minUsers: 50 });
  vi.stubEnv('MIN_USERS', '-1');
  expect(readReportSettings).toThrow('MIN_USERS must be an integer from 0 to 99999: -1');
});

test('readReportSettings returns for all experiences the common attribution, or a text where they differ', () => {
  useEnvironment(JSON.stringify(ALL));
  expect(readReportSettings().all.attribution).toEqual({
    windowDays: null,
    basis: 'pla: 14 days, conversion day; toa: 7 days, click day; carousel: 14 days, conversion day',
  });
  useEnvironment(JSON.stringify({ ...ALL, toa: attribution }));
  expect(readReportSettings().all.attribution).toEqual(attribution);
});

test('readReportSettings names all variables that are missing', () => {
  vi.stubEnv('TIME_ZONE', '');
  vi.stubEnv('CURRENCY', 'EUR');
  vi.stubEnv('ATTRIBUTION', undefined);
  vi.stubEnv('MARKET_MIN_OTHERS', undefined);
  vi.stubEnv('WEEK_STARTS_ON', 'Monday');
  vi.stubEnv('PRODUCT_IDS', 'upc');
  expect(readReportSettings).toThrow('the environment lacks TIME_ZONE, ATTRIBUTION, MARKET_MIN_OTHERS');
});

test.each([
  ['a missing experience', { pla: attribution, toa: attribution }],
  ['an unknown experience', { ...ALL, video: attribution }],
  ['days that are not a number', { ...ALL, pla: { windowDays: '14', basis: 'conversion day' } }],
  ['a missing basis', { ...ALL, pla: { windowDays: 14 } }],
])('readReportSettings rejects an attribution with %s', (_, value) => {
  useEnvironment(JSON.stringify(value));
  expect(readReportSettings).toThrow('ATTRIBUTION must be an object with windowDays and basis per experience');
});

test.each(['-1', '2.5', 'three', '1e9'])('readReportSettings rejects %s as a number of other advertisers', (text) => {
  useEnvironment(JSON.stringify(ALL), text);
  expect(readReportSettings).toThrow(`MARKET_MIN_OTHERS must be an integer from 0 to 9999: ${text}`);
});

test('readReportSettings rejects a first day of the week that is none', () => {
  useEnvironment(JSON.stringify(ALL), '3', 'sunday');
  expect(readReportSettings).toThrow('WEEK_STARTS_ON must be Monday, Tuesday');
});
