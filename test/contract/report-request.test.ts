import { describe, expect, test } from 'vitest';
import { DIMENSION_NAMES, dimensionOf } from '../../shared/catalog/dimensions.ts';
import { METRIC_NAMES, metric } from '../../shared/catalog/metrics.ts';
import { OPERATOR_NAMES, OPERATORS } from '../../shared/catalog/operators.ts';
import { EXPERIENCES } from '../../shared/catalog/tables.ts';
import { whyWrongCount } from '../../shared/contract/report/operators.ts';
import { ReportRequest, submitReportInput } from '../../shared/contract/report/report-request.ts';
import type { ReportQuery } from '../../shared/report/query.ts';
import { GOOD_REPORT } from '../support/report-request.ts';

const accepts = (change: object) => ReportRequest.safeParse({ ...GOOD_REPORT, ...change }).success;
const withFilter = (field: string, operator: string, values: readonly string[]) =>
  accepts({ filters: [{ field, operator, values }] });

/** A value of each type, as it is written. */
const SAMPLES = { text: 'a b', integer: '-7', decimal: '0.25', date: '2026-02-28' } as const;

describe('a report request', () => {
  test('is a report query once its advertisers are resolved', () => {
    const { advertiserIds, ...rest } = ReportRequest.parse(GOOD_REPORT);
    const query: ReportQuery = { experience: 'pla', ...rest };
    expect({ ...query, advertiserIds }).toEqual({ experience: 'pla', ...GOOD_REPORT });
  });

  test('takes every metric and every dimension together', () => {
    expect(accepts({ metrics: METRIC_NAMES, dimensions: DIMENSION_NAMES })).toBe(true);
  });

  test('takes metrics alone and dimensions alone', () => {
    expect(accepts({ dimensions: [] })).toBe(true);
    expect(accepts({ metrics: [] })).toBe(true);
  });

  test('takes every field as filter with every operator, its values by the type of the field', () => {
    const types = [
      ...METRIC_NAMES.map((name) => [name, metric(name).type] as const),
      ...DIMENSION_NAMES.map((name) => [name, dimensionOf(name).type] as const),
    ];
    const counts = { none: 0, one: 1, two: 2, some: 3 } as const;
    const refused = types.flatMap(([name, type]) =>
      OPERATOR_NAMES.filter((operator) => {
        const values = Array<string>(counts[OPERATORS[operator].arity]).fill(SAMPLES[type]);
        return !withFilter(name, operator, values);
      }).map((operator) => `${name} ${operator}`),
    );
    expect(refused).toEqual([]);
  });

  test.each([
    ['one day', '2026-02-01', '2026-02-01', true],
    ['a leap day', '2024-02-29', '2024-02-29', true],
    ['no leap day', '2025-02-29', '2025-03-01', false],
    ['732 days', '2024-01-01', '2026-01-01', true],
    ['733 days', '2024-01-01', '2026-01-02', false],
    ['the end before the start', '2026-02-02', '2026-02-01', false],
    ['a short year', '0099-01-01', '0099-01-02', false],
    ['spaces', ' 2026-02-01', '2026-02-02', false],
  ])('dates: %s', (_, startDate, endDate, expected) => {
    expect(accepts({ startDate, endDate })).toBe(expected);
  });

  test.each([
    [0, 1, true],
    [0, 10_000, true],
    [Number.MAX_SAFE_INTEGER, 10_000, true],
    [0, 10_001, false],
    [0, 0, false],
    [-1, 1, false],
  ])('pagination: offset %d and size %d', (offset, size, expected) => {
    expect(accepts({ pagination: { offset, size } })).toBe(expected);
  });

  test.each([
    ['an integer field and a decimal', 'clicks', 'EQUALS', ['1.5'], false],
    ['an integer field and an exponent', 'clicks', 'EQUALS', ['1e3'], false],
    ['an integer field and a very long integer', 'clicks', 'LESS_THAN', ['9'.repeat(50)], true],
    ['an integer field and an empty text', 'clicks', 'EQUALS', [''], false],
    ['a decimal field and an integer', 'cost', 'GREATER_THAN', ['3'], true],
    ['a decimal field and a bare point', 'cost', 'GREATER_THAN', ['.5'], false],
    ['a decimal field and Infinity', 'cost', 'GREATER_THAN', ['Infinity'], false],
    ['a text field and an empty text', 'keyword', 'EQUALS', [''], true],
    ['a date attribute', 'campaign_end_date', 'GREATER_THAN', ['2026-02-30'], false],
    ['a pattern on an integer field', 'campaign_id', 'LIKE', ['12%'], true],
  ] as const)('filter values: %s', (_, field, operator, values, expected) => {
    expect(withFilter(field, operator, values)).toBe(expected);
  });

  test('any number of values is taken', () => {
    const values = Array.from({ length: 50_000 }, (_, index) => String(index));
    expect(withFilter('entity_id', 'IN', values)).toBe(true);
  });

  test('ids of advertisers are integers, however large', () => {
    expect(accepts({ advertiserIds: [1, -1, 1e300] })).toBe(true);
    expect(accepts({ advertiserIds: [1.5] })).toBe(false);
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
  ['LIKE', [false, true, false]],
  ['LIKE_IN', [false, true, true]],
  ['NOT_LIKE', [false, true, true]],
  ['IS_NULL', [true, false, false]],
  ['NOT_NULL', [true, false, false]],
] as const)('%s takes none, one, two values: %j', (operator, expected) => {
  expect([0, 1, 2].map((count) => whyWrongCount(operator, count) === undefined)).toEqual(expected);
});

test.each(EXPERIENCES)('experience_name "matching is case insensitive": %s', (name) => {
  const spellings = [name, name.toUpperCase(), `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`];
  const parsed = spellings.map((experience_name) => submitReportInput.path.parse({ experience_name }));
  expect(parsed).toEqual(spellings.map(() => ({ experience_name: name })));
});
