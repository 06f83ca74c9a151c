import { afterAll, describe, expect, test } from 'vitest';
import { DIMENSION_NAMES } from '../../shared/catalog/dimensions.ts';
import { METRIC_NAMES } from '../../shared/catalog/metrics.ts';
import { GOOD_REPORT } from '../support/report-request.ts';
import { reportRequest, withoutIds } from './support/gateway-event.ts';
import { problem, REPORT_MEMBERS, type WrongField } from './support/problem.ts';
import { openWorld } from './support/world.ts';

const world = await openWorld();
const instance = await world.start();
afterAll(() => world.close());

const submit = (body: string, experience = 'pla') =>
  instance.send('submit-report', reportRequest(body, { experience }));

const METRICS_ALLOWED = `Must be one of the metrics: ${METRIC_NAMES.join(', ')}.`;
const DIMENSIONS_ALLOWED = `Must be one of the dimensions: ${DIMENSION_NAMES.join(', ')}.`;
const FIELDS_ALLOWED = `Must be the name of a metric (${METRIC_NAMES.join(', ')}) or a dimension (${DIMENSION_NAMES.join(', ')}).`;
const OPERATORS_ALLOWED =
  'Must be one of EQUALS, IN, NOT_EQUALS, NOT_IN, GREATER_THAN, GREATER_THAN_OR_EQUAL, LESS_THAN, LESS_THAN_OR_EQUAL, BETWEEN, LIKE, LIKE_IN, NOT_LIKE, IS_NULL, NOT_NULL.';
const DATE_ALLOWED = 'Must be a day that exists, written YYYY-MM-DD.';
const FOR_NONE = 'for rows without a value use IS_NULL with [], and to filter by nothing leave the filter out';

const filter = (field: unknown, operator: unknown, values: unknown) => ({ filters: [{ field, operator, values }] });

describe('a wrong report request says what is wrong in each field, and what is allowed', () => {
  const CASES: readonly [what: string, change: Readonly<Record<string, unknown>>, field: WrongField][] = [
    [
      'an unknown member',
      { advertiserId: 1 },
      `/advertiserId UNKNOWN_MEMBER There is no such member: this must be ${REPORT_MEMBERS}.`,
    ],
    ['filters "required"', { filters: undefined }, '/filters REQUIRED Required: a list of at most 100 filters.'],
    [
      'startDate "required"',
      { startDate: undefined },
      '/startDate REQUIRED Required: a day that exists, written YYYY-MM-DD.',
    ],
    [
      'endDate "required"',
      { endDate: undefined },
      '/endDate REQUIRED Required: a day that exists, written YYYY-MM-DD.',
    ],
    [
      'pagination "required"',
      { pagination: undefined },
      '/pagination REQUIRED Required: an object with the members offset and size.',
    ],
    [
      'advertiserIds "required"',
      { advertiserIds: undefined },
      '/advertiserIds REQUIRED Required: a list of integers, [] for all your advertisers.',
    ],
    [
      'metrics "required"',
      { metrics: undefined },
      '/metrics REQUIRED Required: a list of metrics, each once, so at most 52.',
    ],
    [
      'dimensions "required"',
      { dimensions: undefined },
      '/dimensions REQUIRED Required: a list of dimensions, each once, so at most 46.',
    ],
    ['sort "required"', { sort: undefined }, '/sort REQUIRED Required: a list of at most 98 sort entries.'],
    ['filters of another type', { filters: {} }, '/filters WRONG_TYPE Must be a list of at most 100 filters.'],
    [
      'a filter of another type',
      { filters: ['clicks'] },
      '/filters/0 WRONG_TYPE Must be an object with the members field, operator and values.',
    ],
    ['advertiserIds as text', { advertiserIds: ['11'] }, '/advertiserIds/0 WRONG_TYPE Must be an integer.'],
    [
      'an advertiser id that is no integer',
      { advertiserIds: [11, 11.5] },
      '/advertiserIds/1 WRONG_TYPE Must be an integer.',
    ],
    [
      'metrics and dimensions both empty',
      { metrics: [], dimensions: [] },
      '/metrics NOTHING_REQUESTED Request at least one metric or one dimension: metrics and dimensions are both [].',
    ],
    ['an unknown metric', { metrics: ['click'] }, `/metrics/0 NOT_ALLOWED ${METRICS_ALLOWED} Did you mean "clicks"?`],
    ['an unknown metric like none', { metrics: ['x'] }, `/metrics/0 NOT_ALLOWED ${METRICS_ALLOWED}`],
    ['a metric as dimension', { dimensions: ['clicks'] }, `/dimensions/0 NOT_ALLOWED ${DIMENSIONS_ALLOWED}`],
    [
      'an unknown dimension',
      { dimensions: ['dailydate'] },
      `/dimensions/0 NOT_ALLOWED ${DIMENSIONS_ALLOWED} Did you mean "daily_date"?`,
    ],
    [
      'a metric twice',
      { metrics: ['clicks', 'cost', 'clicks'] },
      '/metrics/2 DUPLICATE Name each field once: clicks stands above.',
    ],
    [
      'a dimension twice',
      { dimensions: ['hour', 'hour'] },
      '/dimensions/1 DUPLICATE Name each field once: hour stands above.',
    ],
    ['a date that does not exist', { startDate: '2026-02-29' }, `/startDate NO_SUCH_DATE ${DATE_ALLOWED}`],
    ['a date written otherwise', { endDate: '02/28/2026' }, `/endDate WRONG_FORMAT ${DATE_ALLOWED}`],
    ['a date with a time', { endDate: '2026-02-28T00:00:00Z' }, `/endDate WRONG_FORMAT ${DATE_ALLOWED}`],
    ['a date as number', { endDate: 20260228 }, `/endDate WRONG_TYPE ${DATE_ALLOWED}`],
    [
      'an end before the start',
      { endDate: '2026-01-31' },
      '/endDate END_BEFORE_START Must be the start date, 2026-02-01, or a later day.',
    ],
    [
      '733 days',
      { startDate: '2024-01-01', endDate: '2026-01-02' },
      '/endDate TOO_MANY_DAYS A report covers at most 732 days, both ends included; these are 733.',
    ],
    [
      'an unknown operator',
      filter('hour', 'EQUAL', ['1']),
      `/filters/0/operator NOT_ALLOWED ${OPERATORS_ALLOWED} Did you mean "EQUALS"?`,
    ],
    [
      'an unknown filter field',
      filter('hours', 'EQUALS', ['1']),
      `/filters/0/field NOT_ALLOWED ${FIELDS_ALLOWED} Did you mean "hour"?`,
    ],
    [
      'values: [] for EQUALS',
      filter('hour', 'EQUALS', []),
      `/filters/0/values WRONG_COUNT EQUALS takes one or more values; ${FOR_NONE}.`,
    ],
    [
      'one value for BETWEEN',
      filter('hour', 'BETWEEN', ['1']),
      '/filters/0/values WRONG_COUNT BETWEEN takes exactly two values, the lowest and the highest to let pass.',
    ],
    [
      'two values for GREATER_THAN',
      filter('hour', 'GREATER_THAN', ['1', '2']),
      '/filters/0/values WRONG_COUNT GREATER_THAN takes exactly one value; for a range use BETWEEN or two filters.',
    ],
    [
      'two values for LIKE',
      filter('keyword', 'LIKE', ['a', 'b']),
      '/filters/0/values WRONG_COUNT LIKE takes exactly one value; for several patterns use LIKE_IN.',
    ],
    [
      'a value for IS_NULL',
      filter('keyword', 'IS_NULL', ['']),
      '/filters/0/values WRONG_COUNT IS_NULL takes no values: send [].',
    ],
    [
      'filter values "required"',
      filter('hour', 'IS_NULL', undefined),
      '/filters/0/values REQUIRED Required: a list of texts, [] for IS_NULL and NOT_NULL.',
    ],
    [
      'a number among the values',
      filter('hour', 'EQUALS', ['1', 2]),
      '/filters/0/values/1 WRONG_TYPE Must be a text, also for numbers: "7".',
    ],
    [
      'a text for an integer field',
      filter('campaign_id', 'IN', ['1', 'two']),
      '/filters/0/values/1 WRONG_FORMAT Must be an integer, such as "7": campaign_id is compared as integer.',
    ],
    [
      'a text for a decimal metric',
      filter('cost', 'LESS_THAN', ['1,5']),
      '/filters/0/values/0 WRONG_FORMAT Must be a decimal number, such as "0.25": cost is compared as decimal.',
    ],
    [
      'a date that does not exist as value',
      filter('daily_date', 'EQUALS', ['2026-13-01']),
      '/filters/0/values/0 WRONG_FORMAT Must be a day that exists, written YYYY-MM-DD: daily_date is compared as date.',
    ],
    [
      'a date of the first century as value',
      filter('daily_date', 'EQUALS', ['0001-01-01']),
      '/filters/0/values/0 WRONG_FORMAT Must be a day of the years 0100 to 9999: daily_date is compared as date.',
    ],
    [
      'a date of the first century, which exists',
      { startDate: '0001-01-01', endDate: '2026-02-01' },
      '/startDate OUT_OF_RANGE Must be a day of the years 0100 to 9999.',
    ],
    [
      'a date of the first century that does not exist',
      { startDate: '0001-02-29', endDate: '2026-02-01' },
      `/startDate NO_SUCH_DATE ${DATE_ALLOWED}`,
    ],
    [
      'a sort by an unrequested field',
      { sort: [{ field: 'cost', order: 'ASC' }] },
      '/sort/0/field NOT_REQUESTED Sort by requested fields only (clicks, daily_date); to sort by cost, request it.',
    ],
    [
      'a sort by an unknown field',
      { sort: [{ field: 'clicks!', order: 'ASC' }] },
      `/sort/0/field NOT_ALLOWED ${FIELDS_ALLOWED} Did you mean "clicks"?`,
    ],
    [
      'an unknown order',
      { sort: [{ field: 'clicks', order: 'asc' }] },
      '/sort/0/order NOT_ALLOWED Must be ASC or DESC. Did you mean "ASC"?',
    ],
    [
      'a sort field twice',
      {
        sort: [
          { field: 'clicks', order: 'ASC' },
          { field: 'clicks', order: 'DESC' },
        ],
      },
      '/sort/1/field DUPLICATE Sort by each field once: clicks stands above.',
    ],
    [
      'size 0',
      { pagination: { offset: 0, size: 0 } },
      '/pagination/size OUT_OF_RANGE Must be an integer from 1 to 10000.',
    ],
    [
      'size 10,001',
      { pagination: { offset: 0, size: 10_001 } },
      '/pagination/size OUT_OF_RANGE Must be an integer from 1 to 10000.',
    ],
    [
      'a size beyond 2^53',
      { pagination: { offset: 0, size: 1e300 } },
      '/pagination/size OUT_OF_RANGE Must be an integer from 1 to 10000.',
    ],
    [
      'a size that is no integer',
      { pagination: { offset: 0, size: 1.5 } },
      '/pagination/size WRONG_TYPE Must be an integer from 1 to 10000.',
    ],
    [
      'a size as text',
      { pagination: { offset: 0, size: '10' } },
      '/pagination/size WRONG_TYPE Must be an integer from 1 to 10000.',
    ],
    [
      'a negative offset',
      { pagination: { offset: -1, size: 10 } },
      '/pagination/offset OUT_OF_RANGE Must be an integer from 0 to 9007199254740991.',
    ],
    [
      'an offset beyond 2^53',
      { pagination: { offset: 2 ** 53, size: 10 } },
      '/pagination/offset OUT_OF_RANGE Must be an integer from 0 to 9007199254740991.',
    ],
    [
      'too many filters',
      { filters: Array(101).fill(filter('hour', 'EQUALS', ['1']).filters[0]) },
      '/filters OUT_OF_RANGE Must be a list of at most 100 filters.',
    ],
  ];

  test.each(CASES)('%s', async (_, change, field) => {
    const { status, body } = await submit(JSON.stringify({ ...GOOD_REPORT, ...change }));
    expect(status).toBe(422);
    expect(withoutIds(body)).toEqual(
      problem('INVALID_REQUEST', 'One field is wrong; see errors.', '/v2/report/pla', 'body', [field]),
    );
  });

  test('several problems in one request are all reported at once, those of the path among them', async () => {
    const body = {
      filters: [{ field: 'clicks', operator: 'BETWEEN', values: ['a'] }, { field: 'nope' }],
      startDate: '2026-02-30',
      endDate: 'x',
      pagination: { size: 0, page: 1 },
      advertiserIds: [null],
      metrics: ['clicks', 'clicks', 7],
      dimensions: 'hour',
      'a/b~c': 1,
    };
    const answer = await submit(JSON.stringify(body), 'plaa');
    const { detail, errors } = Object(answer.body);
    expect(errors.map((it: Record<string, string>) => `${it.in} ${it.pointer} ${it.code}`)).toEqual([
      'path experience_name NOT_ALLOWED',
      'body /filters/0/values WRONG_COUNT',
      'body /filters/0/values/0 WRONG_FORMAT',
      'body /filters/1/field NOT_ALLOWED',
      'body /filters/1/operator REQUIRED',
      'body /filters/1/values REQUIRED',
      'body /startDate NO_SUCH_DATE',
      'body /endDate WRONG_FORMAT',
      'body /pagination/offset REQUIRED',
      'body /pagination/size OUT_OF_RANGE',
      'body /pagination/page UNKNOWN_MEMBER',
      'body /advertiserIds/0 WRONG_TYPE',
      'body /metrics/2 NOT_ALLOWED',
      'body /metrics/1 DUPLICATE',
      'body /dimensions WRONG_TYPE',
      'body /sort REQUIRED',
      'body /a~1b~0c UNKNOWN_MEMBER',
    ]);
    expect(detail).toBe('17 fields are wrong; see errors.');
  });

  test.each<[string, Readonly<Record<string, unknown>>, string[]]>([
    [
      'nothing is requested',
      { metrics: [], dimensions: [] },
      [
        '/sort/1/order NOT_ALLOWED Must be ASC or DESC. Did you mean "ASC"?',
        '/metrics NOTHING_REQUESTED Request at least one metric or one dimension: metrics and dimensions are both [].',
        '/sort/0/field NOT_REQUESTED Sort by requested fields only (there are none); to sort by clicks, request it.',
        '/sort/1/field DUPLICATE Sort by each field once: clicks stands above.',
      ],
    ],
    [
      'what is requested is no list',
      { metrics: 'clicks' },
      [
        `/metrics WRONG_TYPE Must be a list of metrics, each once, so at most ${METRIC_NAMES.length}.`,
        '/sort/1/order NOT_ALLOWED Must be ASC or DESC. Did you mean "ASC"?',
        '/sort/1/field DUPLICATE Sort by each field once: clicks stands above.',
      ],
    ],
  ])('what is wrong with sort is reported even where %s', async (_, change, fields) => {
    const sort = [
      { field: 'clicks', order: 'ASC' },
      { field: 'clicks', order: 'asc' },
    ];
    const { body } = await submit(JSON.stringify({ ...GOOD_REPORT, ...change, sort }));
    const detail = `${fields.length} fields are wrong; see errors.`;
    expect(withoutIds(body)).toEqual(problem('INVALID_REQUEST', detail, '/v2/report/pla', 'body', fields));
  });

  test('of more than 100 problems the first 100 are listed, and the detail counts all', async () => {
    const members = Object.fromEntries(Array.from({ length: 150 }, (_, index) => [`m${index}`, 1]));
    const answer = await submit(JSON.stringify({ ...GOOD_REPORT, ...members }));
    expect(Object(answer.body).detail).toBe('150 fields are wrong; errors lists the first 100.');
    expect(Object(answer.body).errors).toHaveLength(100);
  });

  test.each([
    ['metrics', JSON.stringify({ ...GOOD_REPORT, metrics: Array(260_000).fill('a') })],
    ['values', JSON.stringify({ ...GOOD_REPORT, ...filter('hour', 'IN', Array(500_000).fill(1)) })],
    ['advertiserIds', JSON.stringify({ ...GOOD_REPORT, advertiserIds: Array(250_000).fill(0.5) })],
    ['members', JSON.stringify(Object.fromEntries(Array.from({ length: 90_000 }, (_, index) => [index, 1])))],
    ['nesting', `{"filters":${'['.repeat(500_000)}${']'.repeat(500_000)}}`],
  ])('a megabyte of wrong %s is answered like any other mistake', async (_, body) => {
    const answer = await submit(body);
    expect([400, 422]).toContain(answer.status);
    expect(answer.text.length).toBeLessThan(500_000);
  });
});
