import { afterAll, expect, test } from 'vitest';
import { DIMENSION_NAMES } from '../../../shared/catalog/dimensions.ts';
import { METRIC_NAMES } from '../../../shared/catalog/metrics.ts';
import { GOOD_REPORT } from '../../support/report-request.ts';
import { reportRequest, withoutIds } from '../support/gateway-event.ts';
import { problem, type WrongField } from '../support/problem.ts';
import { openTestService } from '../support/test-service.ts';

const service = await openTestService();
const instance = await service.start();
afterAll(() => service.close());

const ALLOWED_FIELDS = `Must be the name of a metric (${METRIC_NAMES.join(', ')}) or of a dimension (${DIMENSION_NAMES.join(', ')}).`;
const ALLOWED_OPERATORS =
  'Must be one of EQUALS, IN, NOT_EQUALS, NOT_IN, GREATER_THAN, GREATER_THAN_OR_EQUAL, LESS_THAN, LESS_THAN_OR_EQUAL, BETWEEN, CONTAINS, NOT_CONTAINS, STARTS_WITH, LIKE, LIKE_IN, NOT_LIKE, IS_NULL, NOT_NULL.';
const ADVICE_FOR_NULL = 'to select rows without a value, use IS_NULL with []; to select all rows, omit the filter';
const filter = (field: unknown, operator: unknown, values: unknown) => ({ filters: [{ field, operator, values }] });

const CASES: readonly [title: string, change: Readonly<Record<string, unknown>>, field: WrongField][] = [
  ['no member filters', { filters: undefined }, '/filters REQUIRED Required: a list of at most 100 filters.'],
  [
    'no member sort',
    { sort: undefined },
    `/sort REQUIRED Required: a list of at most ${METRIC_NAMES.length + DIMENSION_NAMES.length} sort entries.`,
  ],
  ['an object as filters', { filters: {} }, '/filters WRONG_TYPE Must be a list of at most 100 filters.'],
  [
    'a string as filter',
    { filters: ['clicks'] },
    '/filters/0 WRONG_TYPE Must be an object with the members field, operator and values.',
  ],
  [
    'an unknown operator',
    filter('hour', 'EQUAL', ['1']),
    `/filters/0/operator NOT_ALLOWED ${ALLOWED_OPERATORS} Did you mean "EQUALS"?`,
  ],
  [
    'an unknown filter field',
    filter('hours', 'EQUALS', ['1']),
    `/filters/0/field NOT_ALLOWED ${ALLOWED_FIELDS} Did you mean "hour"?`,
  ],
  [
    'no values for EQUALS',
    filter('hour', 'EQUALS', []),
    `/filters/0/values WRONG_COUNT EQUALS takes one or more values; ${ADVICE_FOR_NULL}.`,
  ],
  [
    'one value for BETWEEN',
    filter('hour', 'BETWEEN', ['1']),
    '/filters/0/values WRONG_COUNT BETWEEN takes exactly two values, the lower and the upper bound.',
  ],
  [
    'two values for GREATER_THAN',
    filter('hour', 'GREATER_THAN', ['1', '2']),
    '/filters/0/values WRONG_COUNT GREATER_THAN takes exactly one value; for a range, use BETWEEN or two filters.',
  ],
  [
    'two values for LIKE',
    filter('keyword', 'LIKE', ['a', 'b']),
    '/filters/0/values WRONG_COUNT LIKE takes exactly one value; for several patterns, use LIKE_IN.',
  ],
  [
    'a value for IS_NULL',
    filter('keyword', 'IS_NULL', ['']),
    '/filters/0/values WRONG_COUNT IS_NULL takes no values: send [].',
  ],
  [
    'no member values in a filter',
    filter('hour', 'IS_NULL', undefined),
    '/filters/0/values REQUIRED Required: a list of at most 1,000 strings, [] for IS_NULL and NOT_NULL.',
  ],
  [
    '1,001 values in a filter',
    filter('keyword', 'LIKE_IN', Array(1_001).fill('%')),
    '/filters/0/values OUT_OF_RANGE Must be a list of at most 1,000 strings, [] for IS_NULL and NOT_NULL; this list has 1001.',
  ],
  [
    'one value of 65,537 bytes',
    // 900,000 wildcards in one pattern once kept a function busy until it was killed
    filter('keyword', 'LIKE', ['%'.repeat(65_537)]),
    '/filters OUT_OF_RANGE The values of all filters may have at most 65,536 bytes together; these have 65,537.',
  ],
  [
    'values of all filters together that have more than 65,536 bytes in UTF-8',
    { filters: Array(66).fill({ field: 'keyword', operator: 'NOT_LIKE', values: Array(10).fill('é'.repeat(50)) }) },
    '/filters OUT_OF_RANGE The values of all filters may have at most 65,536 bytes together; these have 66,000.',
  ],
  [
    'a number as filter value',
    filter('hour', 'EQUALS', ['1', 2]),
    '/filters/0/values/1 WRONG_TYPE Must be a string, also for numbers: "7".',
  ],
  [
    'a filter on an integer field with a text',
    filter('campaign_id', 'IN', ['1', 'two']),
    '/filters/0/values/1 WRONG_FORMAT Must be an integer, such as "7"; the type of campaign_id is integer.',
  ],
  [
    'a filter on a decimal metric with a text',
    filter('cost', 'LESS_THAN', ['1,5']),
    '/filters/0/values/0 WRONG_FORMAT Must be a decimal number, such as "0.25"; the type of cost is decimal.',
  ],
  [
    'a filter by a date that does not exist',
    filter('daily_date', 'EQUALS', ['2026-13-01']),
    '/filters/0/values/0 WRONG_FORMAT Must be an existing date in the format YYYY-MM-DD; the type of daily_date is date.',
  ],
  [
    'a filter by a date in the first century',
    filter('daily_date', 'EQUALS', ['0001-01-01']),
    '/filters/0/values/0 WRONG_FORMAT Must be a date in the years 0100 to 9999; the type of daily_date is date.',
  ],
  [
    'a sort by a field that is not requested',
    { sort: [{ field: 'cost', order: 'ASC' }] },
    '/sort/0/field NOT_REQUESTED Sort only by requested fields (clicks, daily_date); to sort by cost, request it.',
  ],
  [
    'a sort by an unknown field',
    { sort: [{ field: 'clicks!', order: 'ASC' }] },
    `/sort/0/field NOT_ALLOWED ${ALLOWED_FIELDS} Did you mean "clicks"?`,
  ],
  [
    'an unknown sort order',
    { sort: [{ field: 'clicks', order: 'asc' }] },
    '/sort/0/order NOT_ALLOWED Must be ASC or DESC. Did you mean "ASC"?',
  ],
  [
    'two sorts by the same field',
    {
      sort: [
        { field: 'clicks', order: 'ASC' },
        { field: 'clicks', order: 'DESC' },
      ],
    },
    '/sort/1/field DUPLICATE Sort by each field only once; clicks is already in the list.',
  ],
  [
    'too many filters',
    { filters: Array(101).fill(filter('hour', 'EQUALS', ['1']).filters[0]) },
    '/filters OUT_OF_RANGE Must be a list of at most 100 filters.',
  ],
];

test.each(CASES)('a report with %s is rejected, and the response states what is allowed', async (_, change, field) => {
  const request = reportRequest(JSON.stringify({ ...GOOD_REPORT, ...change }));
  const { status, body } = await instance.send('submit-report', request);
  expect(status).toBe(422);
  expect(withoutIds(body)).toEqual(
    problem('INVALID_REQUEST', 'One field is invalid; see errors.', '/v2/report/pla', 'body', [field]),
  );
});
