import * as z from 'zod/mini';
import { isNumeric, SORT_VALUE_NAMES, SORT_VALUES } from '../../catalog/compared-values.ts';
import { suggestDates } from '../../catalog/describe/suggest.ts';
import { DIMENSION_NAMES } from '../../catalog/dimensions.ts';
import { isMetric, METRIC_NAMES } from '../../catalog/metrics.ts';
import { dayNumber, formatDay, isTooEarly, parseDate, YEARS } from '../../lib/calendar.ts';
import {
  COMPARISON_NAMES,
  COMPARISONS,
  type Comparison,
  comparedRange,
  type PeriodDays,
} from '../../lib/compared-period.ts';
import { ApiError, type FieldCode, type FieldProblem } from '../../lib/errors.ts';
import {
  type Calendar,
  DATE_FORMS,
  DATE_PATTERN,
  isDate,
  dependsOnData as isOfData,
  resolveDate,
} from '../../lib/relative-date.ts';
import { described } from '../described.ts';
import { askIfMeant, fieldIssue, strictMembers } from '../field-problems.ts';
import { experienceParameter } from '../parameters.ts';
import { boundedList, plainList } from '../resources/lists.ts';
import { DimensionField, type FieldName, fieldType, isFieldName, MetricField, ReportField } from './report-fields.ts';
import { MAX_FILTER_BYTES, ReportFilter } from './report-filter.ts';
import { MAX_PAGE_SIZE, MAX_REPORT_DAYS } from './report-limits.ts';

/** CSV and Arrow are written for files, which hold more rows than a page on a screen. */
export const MAX_FILE_PAGE_SIZE = 100_000;
export const MAX_FILTERS = 100;
const MAX_SORTS = METRIC_NAMES.length + DIMENSION_NAMES.length;

const OFFSET = `an integer from 0 to ${Number.MAX_SAFE_INTEGER}`;

const date = (description: string, example: string) =>
  z.string(DATE_FORMS).check(
    z.check(({ value, issues }) => {
      if (!isDate(value)) issues.push(wrongDateIssue(value));
    }),
    z.meta({ pattern: DATE_PATTERN, description, examples: [example] }),
  );

const isInteger = (value: unknown): value is number => Number.isInteger(value);

const unique = z.check<readonly string[]>(
  ({ value, issues }) => {
    if (Array.isArray(value)) for (const issue of findDuplicates(value)) issues.push(issue);
  },
  { when: () => true },
);

const meanings = (texts: Readonly<Record<string, string>>) =>
  Object.entries(texts)
    .map(([name, text]) => `${name}: ${text}`)
    .join('. ');

const SortEntry = strictMembers({
  field: ReportField,
  order: z.enum(['ASC', 'DESC'], 'ASC or DESC').check(described('Direction; null comes last in both.')),
  by: z.optional(
    z
      .enum(SORT_VALUE_NAMES, `one of ${SORT_VALUE_NAMES.join(', ')}`)
      .check(
        described(
          `What to sort a numeric metric by, in a report with \`compare\`. ${meanings(SORT_VALUES)}.`,
          'change',
        ),
      ),
  ),
}).check(z.meta({ id: 'ReportSort', description: 'A requested field to sort by, and the direction.' }));

const pagination = (maxSize: number) => {
  const allowed = `an integer from 1 to ${maxSize}`;
  return strictMembers(
    {
      offset: z
        .int(OFFSET)
        .check(z.minimum(0, OFFSET), described('Number of rows to skip. After the last row the page is empty.', 0)),
      size: z.int(allowed).check(
        z.minimum(1, allowed),
        z.maximum(maxSize, allowed),
        described(
          `Maximum number of rows on the page: up to ${MAX_PAGE_SIZE.toLocaleString('en-US')} as JSON, up to ${MAX_FILE_PAGE_SIZE.toLocaleString('en-US')} as CSV or Arrow.`,
          100,
        ),
        z.meta({ maximum: MAX_FILE_PAGE_SIZE }), // the OpenAPI document has one schema for all formats
      ),
    },
    '"pagination": {"offset": 0, "size": 1000} for the first 1,000 rows',
  );
};

const Pagination = pagination(MAX_PAGE_SIZE).check(
  z.meta({
    id: 'ReportPagination',
    description: 'The page: which rows to return.',
    examples: [{ offset: 0, size: 100 }],
  }),
);

const consistent = z.check<object>(
  ({ value, issues }) => {
    for (const issue of checkTogether(value)) issues.push(issue);
  },
  { when: () => true },
);

const PERIOD = 'an object with the members startDate and endDate';
const Compare = z
  .union([
    z.enum(COMPARISON_NAMES, `one of ${COMPARISON_NAMES.join(', ')}, or ${PERIOD}`),
    strictMembers({
      startDate: date('First day of the compared period, in the same forms as that of the report.', '2026-02-01'),
      endDate: date('Last day of the compared period, included.', '2026-02-28'),
    }).check(z.meta({ id: 'ReportComparePeriod', description: 'The days to compare with.' })),
  ])
  .check(
    // named, because openapi-generator 7.9 takes an object with an unnamed choice for a map
    z.meta({
      id: 'ReportCompare',
      description:
        `The period to compare with, or its dates. ${meanings(COMPARISONS)}. Each row then has \`compared\`, and the response \`comparedTotals\` and ` +
        '`meta.compared`. Rows are those of both periods, with the dates of the report: its n-th day, week, month and quarter is compared with the ' +
        'n-th one of the compared period. Filters on metrics that are not attributes select rows by their value in the report’s period.',
      examples: ['previousPeriod'],
    }),
  );

/** The body of a report submission. No other members are allowed, and they must be consistent with each other. */
export const ReportRequest = strictMembers({
  filters: boundedList(
    z.array(ReportFilter),
    MAX_FILTERS,
    `a list of at most ${MAX_FILTERS} filters`,
    '"filters": [] for none',
  ).check(described('Filters to apply; [] for none.')),
  startDate: date(
    `First day of the report, in the platform’s time zone: ${DATE_FORMS}. The offset of an end moves its period, so endOfMonth-1m is always the last day of a month.`,
    '2026-03-01',
  ),
  endDate: date(
    `Last day of the report, included, in the same forms. A report covers at most ${MAX_REPORT_DAYS} days.`,
    'yesterday',
  ),
  pagination: Pagination,
  advertiserIds: plainList(
    isInteger,
    { list: 'a list of integers', item: 'an integer', toSend: '"advertiserIds": [] for all your advertisers' },
    { type: 'integer', format: 'int64' },
  ).check(described('Advertiser ids to filter by; [] for all your advertisers.', [2001, 2002])),
  metrics: boundedList(
    z.array(MetricField).check(unique),
    METRIC_NAMES.length,
    `a list of at most ${METRIC_NAMES.length} metrics, without duplicates`,
  ).check(
    z.meta({
      description: 'Metrics to aggregate; [] for the distinct values of the dimensions.',
      uniqueItems: true,
      examples: [['clicks']],
    }),
  ),
  dimensions: boundedList(
    z.array(DimensionField).check(unique),
    DIMENSION_NAMES.length,
    `a list of at most ${DIMENSION_NAMES.length} dimensions, without duplicates`,
  ).check(
    z.meta({
      description: 'Dimensions to group by; [] for a single row.',
      uniqueItems: true,
      examples: [['campaign_name', 'daily_date']],
    }),
  ),
  sort: boundedList(
    z.array(SortEntry),
    MAX_SORTS,
    `a list of at most ${MAX_SORTS} sort entries`,
    '"sort": [] for the order of the dimensions',
  ).check(
    described(
      'Sort order. Ties are broken by all dimensions in ascending order, which is the order with []. Text is sorted by code point, unique users by ' +
        'the value that the report shows (an estimate above 8,192).',
      [{ field: 'clicks', order: 'DESC' }],
    ),
  ),
  compare: z.optional(Compare),
  validateOnly: z.optional(
    z
      .boolean('true or false')
      .check(
        described(
          'Whether to return only headers, warnings and the estimated cost (`meta.estimate`), without reading facts: `data` is empty, `totalCount` 0. A report that would be rejected before it is computed is rejected. Default false.',
        ),
      ),
  ),
}).check(
  consistent,
  z.meta({
    id: 'ReportRequest',
    description: 'A report request. metrics and dimensions must not both be empty.',
    if: { properties: { metrics: { maxItems: 0 } } },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: { properties: { dimensions: { minItems: 1 } } },
  }),
);
export type ReportRequest = z.infer<typeof ReportRequest>;

/** The same request for CSV and Arrow, whose pages may be larger. */
const FileReportRequest = strictMembers({
  ...ReportRequest.shape,
  pagination: pagination(MAX_FILE_PAGE_SIZE),
}).check(consistent);

const path = z.object({ experience_name: experienceParameter });

export const submitReportInput = { path, body: ReportRequest };
export const submitFileReportInput = { path, body: FileReportRequest };

/** Checks the members together. It also runs if a member is wrong, so that all problems are reported together; wrong members are skipped. */
function checkTogether(request: Partial<Record<keyof ReportRequest, unknown>> | null): z.core.$ZodRawIssue[] {
  if (request === null || typeof request !== 'object') return [];
  return [
    ...checkDates(request.startDate, request.endDate),
    ...checkCompare(request.compare),
    ...checkFields(request.metrics, request.dimensions, request.sort, request.compare !== undefined),
    ...checkFilterBytes(request.filters),
  ];
}

/** Limits the memory and the time that filters take, whatever the number of their values. */
function checkFilterBytes(filters: unknown): z.core.$ZodRawIssue[] {
  if (!Array.isArray(filters)) return [];
  let bytes = 0;
  for (const filter of filters) {
    const values: unknown = Object(filter).values;
    if (!Array.isArray(values)) continue;
    for (const value of values) if (typeof value === 'string') bytes += Buffer.byteLength(value);
  }
  if (bytes <= MAX_FILTER_BYTES) return [];
  const detail = `The values of all filters may have at most ${MAX_FILTER_BYTES.toLocaleString('en-US')} bytes together; these have ${bytes.toLocaleString('en-US')}.`;
  return [fieldIssue('OUT_OF_RANGE', ['filters'], detail, filters)];
}

/** @returns whether a date of the request depends on the last complete day */
export function dependsOnData({
  startDate,
  endDate,
  compare,
}: Pick<ReportRequest, 'startDate' | 'endDate' | 'compare'>): boolean {
  const compared = typeof compare === 'object' ? [compare.startDate, compare.endDate] : [];
  return [startDate, endDate, ...compared].some(isOfData);
}

/**
 * @param calendar of the time at which the request arrived
 * @returns the request's first and last day as dates
 * @throws ApiError INVALID_REQUEST if relative dates are in the wrong order or cover too many days
 */
export function resolvePeriod(
  { startDate, endDate }: Pick<ReportRequest, 'startDate' | 'endDate'>,
  calendar: Calendar,
): Pick<ReportRequest, 'startDate' | 'endDate'> {
  return resolveDates(startDate, endDate, calendar, '/endDate');
}

/**
 * @param period the report's, as `resolvePeriod` returns it
 * @returns the first and last day of the compared period; undefined without one
 * @throws ApiError INVALID_REQUEST as `resolvePeriod`, or if the period is outside the accepted years
 */
export function resolveCompared(
  { compare }: Pick<ReportRequest, 'compare'>,
  { startDate, endDate }: Pick<ReportRequest, 'startDate' | 'endDate'>,
  calendar: Calendar,
): Pick<ReportRequest, 'startDate' | 'endDate'> | undefined {
  if (compare === undefined) return undefined;
  if (typeof compare === 'object')
    return resolveDates(compare.startDate, compare.endDate, calendar, '/compare/endDate');
  const dates = datesBefore({ first: dayNumber(startDate), last: dayNumber(endDate) }, compare);
  if (dates !== undefined) return dates;
  throw invalid('/compare', 'OUT_OF_RANGE', `Must be a period in the years ${YEARS}.`);
}

function resolveDates(startDate: string, endDate: string, calendar: Calendar, pointer: string) {
  const resolve = (text: string) => formatDay(resolveDate(text, calendar));
  const period = { startDate: resolve(startDate), endDate: resolve(endDate) };
  const problem = explainPeriod(period.startDate, period.endDate);
  if (problem === undefined) return period;
  throw invalid(pointer, problem.code, problem.detail);
}

function invalid(pointer: string, code: FieldCode, detail: string): ApiError {
  const fields = [{ in: 'body', pointer, code, detail } as const];
  return new ApiError('INVALID_REQUEST', 'One field is invalid; see errors.', { fields });
}

/** @returns undefined outside the accepted years */
function datesBefore(range: PeriodDays, comparison: Comparison) {
  try {
    const { first, last } = comparedRange(range, comparison);
    const [startDate, endDate] = [formatDay(first), formatDay(last)];
    return parseDate(startDate) === undefined ? undefined : { startDate, endDate };
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function checkCompare(compare: unknown): z.core.$ZodRawIssue[] {
  const { startDate, endDate } = Object(compare);
  return checkDates(startDate, endDate, ['compare', 'endDate']);
}

/** Relative dates are skipped: `resolvePeriod` checks them. */
function checkDates(
  startDate: unknown,
  endDate: unknown,
  path: readonly string[] = ['endDate'],
): z.core.$ZodRawIssue[] {
  if (typeof startDate !== 'string' || typeof endDate !== 'string') return [];
  const problem = explainPeriod(startDate, endDate);
  return problem === undefined ? [] : [fieldIssue(problem.code, path, problem.detail, endDate)];
}

/** @returns why the dates are not a period; undefined if they are, or one is no date */
function explainPeriod(startDate: string, endDate: string): Pick<FieldProblem, 'code' | 'detail'> | undefined {
  const [first, last] = [parseDate(startDate), parseDate(endDate)];
  if (first === undefined || last === undefined) return undefined;
  const days = last - first + 1;
  if (days < 1) return { code: 'END_BEFORE_START', detail: `Must be the start date, ${startDate}, or later.` };
  if (days <= MAX_REPORT_DAYS) return undefined;
  const detail = `A report covers at most ${MAX_REPORT_DAYS} days, first and last included; these are ${days}.`;
  return { code: 'TOO_MANY_DAYS', detail };
}

function checkFields(metrics: unknown, dimensions: unknown, sort: unknown, isCompared: boolean): z.core.$ZodRawIssue[] {
  const areLists = Array.isArray(metrics) && Array.isArray(dimensions);
  const requested = areLists ? new Set([...metrics, ...dimensions].filter(isFieldName)) : undefined;
  const found = Array.isArray(sort) && sort.length <= MAX_SORTS ? checkSort(sort, requested, isCompared) : [];
  if (!areLists || metrics.length + dimensions.length > 0) return found;
  const detail = 'Request at least one metric or dimension; metrics and dimensions are both [].';
  return [fieldIssue('NOTHING_REQUESTED', ['metrics'], detail, metrics), ...found];
}

/** @param requested undefined if metrics or dimensions are not lists */
function checkSort(
  sort: readonly unknown[],
  requested: ReadonlySet<FieldName> | undefined,
  isCompared: boolean,
): z.core.$ZodRawIssue[] {
  const sorted = new Set<FieldName>();
  return sort.flatMap((entry, index) => {
    const field = typeof entry === 'object' && entry !== null && 'field' in entry ? entry.field : undefined;
    if (!isFieldName(field)) return [];
    if (sorted.has(field)) {
      const detail = `Sort by each field only once; ${field} is already in the list.`;
      return [fieldIssue('DUPLICATE', ['sort', index, 'field'], detail, field)];
    }
    sorted.add(field);
    const wrongBy = explainWrongBy(field, Object(entry).by, isCompared);
    if (wrongBy !== undefined) return [fieldIssue('NOT_ALLOWED', ['sort', index, 'by'], wrongBy, entry)];
    if (requested === undefined || requested.has(field)) return [];
    const fields = requested.size === 0 ? 'none are requested' : [...requested].join(', ');
    const detail = `Sort only by requested fields (${fields}); to sort by ${field}, request it.`;
    return [fieldIssue('NOT_REQUESTED', ['sort', index, 'field'], detail, field)];
  });
}

function explainWrongBy(field: FieldName, sent: unknown, isCompared: boolean): string | undefined {
  const by = SORT_VALUE_NAMES.find((name) => name === sent); // the schema reports others
  if (by === undefined || by === 'value') return undefined;
  if (!isCompared) return `Sort by "${by}" only with a compared period: add the member compare.`;
  if (isMetric(field) && isNumeric(fieldType(field))) return undefined;
  return `Sort by "${by}" only numeric metrics; ${field} is none.`;
}

function findDuplicates(names: readonly unknown[]): z.core.$ZodRawIssue[] {
  const seen = new Set<FieldName>();
  return names.flatMap((name, index) => {
    if (!isFieldName(name)) return [];
    if (seen.has(name))
      return [fieldIssue('DUPLICATE', [index], `Request each field only once; ${name} is already in the list.`, name)];
    seen.add(name);
    return [];
  });
}

function wrongDateIssue(value: string): z.core.$ZodRawIssue {
  if (isTooEarly(value)) return fieldIssue('OUT_OF_RANGE', [], `Must be a date in the years ${YEARS}.`, value);
  const isWellFormed = /^\d{4}-\d{2}-\d{2}$/.test(value);
  const code = isWellFormed ? 'NO_SUCH_DATE' : 'WRONG_FORMAT';
  return fieldIssue(code, [], `Must be ${DATE_FORMS}.${askIfMeant(suggestDates(value))}`, value);
}
