import { afterAll, expect, test } from 'vitest';
import { DIMENSION_NAMES } from '../../../shared/catalog/dimensions.ts';
import { METRIC_NAMES } from '../../../shared/catalog/metrics.ts';
import { DATE_FORMS } from '../../../shared/lib/relative-date.ts';
import { GOOD_REPORT } from '../../support/report-request.ts';
import { reportRequest, withoutIds } from '../support/gateway-event.ts';
import { problem, REPORT_MEMBERS, type WrongField } from '../support/problem.ts';
import { openTestService } from '../support/test-service.ts';

const service = await openTestService();
const instance = await service.start();
afterAll(() => service.close());

const METRICS_ALLOWED = `Must be one of the metrics: ${METRIC_NAMES.join(', ')}.`;
const DIMENSIONS_ALLOWED = `Must be one of the dimensions: ${DIMENSION_NAMES.join(', ')}.`;
const DATE_ALLOWED = `Must be ${DATE_FORMS}.`;

const COMPARE_ALLOWED =
  'one of previousPeriod, previousPeriodByWeekday, previousYear, previousYearByWeekday, previousMonth, or an object with the members startDate and endDate';

const CASES: readonly [title: string, change: Readonly<Record<string, unknown>>, field: WrongField][] = [
  [
    'an unknown member',
    { advertiserId: 1 },
    `/advertiserId UNKNOWN_MEMBER This member is unknown; expected ${REPORT_MEMBERS}. Did you mean "advertiserIds"?`,
  ],
  ['no startDate ("required")', { startDate: undefined }, `/startDate REQUIRED Required: ${DATE_FORMS}.`],
  ['no endDate ("required")', { endDate: undefined }, `/endDate REQUIRED Required: ${DATE_FORMS}.`],
  [
    'no pagination ("required")',
    { pagination: undefined },
    '/pagination REQUIRED Required: an object with the members offset and size.',
  ],
  [
    'no advertiserIds ("required")',
    { advertiserIds: undefined },
    '/advertiserIds REQUIRED Required: a list of integers, [] for all your advertisers.',
  ],
  [
    'no metrics ("required")',
    { metrics: undefined },
    `/metrics REQUIRED Required: a list of at most ${METRIC_NAMES.length} metrics, without duplicates.`,
  ],
  [
    'no dimensions ("required")',
    { dimensions: undefined },
    `/dimensions REQUIRED Required: a list of at most ${DIMENSION_NAMES.length} dimensions, without duplicates.`,
  ],
  ['a string as advertiser id', { advertiserIds: ['11'] }, '/advertiserIds/0 WRONG_TYPE Must be an integer.'],
  [
    'an advertiser id that is not an integer',
    { advertiserIds: [11, 11.5] },
    '/advertiserIds/1 WRONG_TYPE Must be an integer.',
  ],
  [
    'neither metrics nor dimensions',
    { metrics: [], dimensions: [] },
    '/metrics NOTHING_REQUESTED Request at least one metric or dimension; metrics and dimensions are both [].',
  ],
  ['an unknown metric', { metrics: ['click'] }, `/metrics/0 NOT_ALLOWED ${METRICS_ALLOWED} Did you mean "clicks"?`],
  ['a metric among the dimensions', { dimensions: ['clicks'] }, `/dimensions/0 NOT_ALLOWED ${DIMENSIONS_ALLOWED}`],
  [
    'an unknown dimension',
    { dimensions: ['dailydate'] },
    `/dimensions/0 NOT_ALLOWED ${DIMENSIONS_ALLOWED} Did you mean "daily_date"?`,
  ],
  [
    'a duplicate metric',
    { metrics: ['clicks', 'cost', 'clicks'] },
    '/metrics/2 DUPLICATE Request each field only once; clicks is already in the list.',
  ],
  ['a date that does not exist', { startDate: '2026-02-29' }, `/startDate NO_SUCH_DATE ${DATE_ALLOWED}`],
  ['a date in another format', { endDate: '02/28/2026' }, `/endDate WRONG_FORMAT ${DATE_ALLOWED}`],
  [
    'a relative date without a unit',
    { endDate: 'today-28' },
    `/endDate WRONG_FORMAT ${DATE_ALLOWED} Did you mean "today-28d"?`,
  ],
  [
    'a relative date in another case',
    { startDate: 'startofmonth-1m' },
    `/startDate WRONG_FORMAT ${DATE_ALLOWED} Did you mean "startOfMonth-1m"?`,
  ],
  [
    'a misspelt relative date',
    { startDate: 'yestarday' },
    `/startDate WRONG_FORMAT ${DATE_ALLOWED} Did you mean "yesterday"?`,
  ],
  [
    'relative dates in the wrong order',
    { startDate: '2026-02-01', endDate: 'startOfYear-30y' },
    '/endDate END_BEFORE_START Must be the start date, 2026-02-01, or later.',
  ],
  ['a number as date', { endDate: 20260228 }, `/endDate WRONG_TYPE ${DATE_ALLOWED}`],
  [
    'an end date before the start date',
    { endDate: '2026-01-31' },
    '/endDate END_BEFORE_START Must be the start date, 2026-02-01, or later.',
  ],
  [
    '733 days',
    { startDate: '2024-01-01', endDate: '2026-01-02' },
    '/endDate TOO_MANY_DAYS A report covers at most 732 days, first and last included; these are 733.',
  ],
  [
    'a start date in the first century',
    { startDate: '0001-01-01', endDate: '2026-02-01' },
    '/startDate OUT_OF_RANGE Must be a date in the years 0100 to 9999.',
  ],
  [
    'an unknown comparison',
    { compare: 'previousperiod' },
    `/compare NOT_ALLOWED Must be ${COMPARE_ALLOWED}. Did you mean "previousPeriod"?`,
  ],
  ['a number as comparison', { compare: 28 }, `/compare NOT_ALLOWED Must be ${COMPARE_ALLOWED}.`],
  [
    'a compared period without an end',
    { compare: { startDate: 'today-1y' } },
    `/compare/endDate REQUIRED Required: ${DATE_FORMS}.`,
  ],
  [
    'an unknown member of the compared period',
    { compare: { startDate: '2026-01-01', endDate: '2026-01-02', endDat: 1 } },
    '/compare/endDat UNKNOWN_MEMBER This member is unknown; expected an object with the members startDate and endDate. Did you mean "endDate"?',
  ],
  [
    'a compared period that ends before it starts',
    { compare: { startDate: '2026-01-03', endDate: '2026-01-02' } },
    '/compare/endDate END_BEFORE_START Must be the start date, 2026-01-03, or later.',
  ],
  [
    'a compared period before the year 100',
    { startDate: '0100-01-01', endDate: '0100-01-02', compare: 'previousYear' },
    '/compare OUT_OF_RANGE Must be a period in the years 0100 to 9999.',
  ],
  [
    'a sort by change without a compared period',
    { sort: [{ field: 'clicks', order: 'DESC', by: 'change' }] },
    '/sort/0/by NOT_ALLOWED Sort by "change" only with a compared period: add the member compare.',
  ],
  [
    'a sort of a dimension by its change',
    { compare: 'previousYear', sort: [{ field: 'daily_date', order: 'ASC', by: 'relativeChange' }] },
    '/sort/0/by NOT_ALLOWED Sort by "relativeChange" only numeric metrics; daily_date is none.',
  ],
  [
    'an unknown value to sort by',
    { compare: 'previousYear', sort: [{ field: 'clicks', order: 'ASC', by: 'changes' }] },
    '/sort/0/by NOT_ALLOWED Must be one of value, compared, change, relativeChange. Did you mean "change"?',
  ],
  [
    'a page size of 0',
    { pagination: { offset: 0, size: 0 } },
    '/pagination/size OUT_OF_RANGE Must be an integer from 1 to 10000.',
  ],
  [
    'a page size of 10,001',
    { pagination: { offset: 0, size: 10_001 } },
    '/pagination/size OUT_OF_RANGE Must be an integer from 1 to 10000.',
  ],
  [
    'a page size that is not an integer',
    { pagination: { offset: 0, size: 1.5 } },
    '/pagination/size WRONG_TYPE Must be an integer from 1 to 10000.',
  ],
  [
    'a negative offset',
    { pagination: { offset: -1, size: 10 } },
    '/pagination/offset OUT_OF_RANGE Must be an integer from 0 to 9007199254740991.',
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
