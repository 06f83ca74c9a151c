import { dimensionOf, isDimension } from '../../catalog/dimensions.ts';
import { isMetric, metricOf } from '../../catalog/metrics.ts';
import { ApiError } from '../../lib/errors.ts';
import { quoteText } from '../../lib/quote-text.ts';
import { attributeOf, planReport } from '../plan/plan-report.ts';
import { HEADS_PER_READ } from '../plan/read-heads.ts';
import type { Filter, ReportQuery, ReportResult, ReportValue, ReportWarning } from '../query/query.ts';
import { type CostEstimate, type ReportInput, sumCosts } from '../query/report-input.ts';
import { date, MAX_NAMED, type Phrase, text, warn } from './warning.ts';

/** Computes one page of a report over the same data. */
type Compute = (query: Partial<ReportQuery>, size: number) => Promise<ReportResult>;

/** Explanations that would take longer are not made. */
const MAX_SECONDS = 1;
/** Ad groups or campaigns whose values of an attribute are looked at. */
const MAX_ENTITIES = 1_000;
/** The errors of limits that a report kept, and its explanation does not. */
const LIMITS: readonly string[] = ['REPORT_TOO_EXPENSIVE', 'DEADLINE_EXCEEDED', 'TOO_MANY_REQUESTS'];

/** @returns the cost of a report, of which no facts are read. */
type Estimate = (input: ReportInput) => Promise<CostEstimate>;

/**
 * @param input of a report with filters
 * @returns the most that explaining takes if they leave no row; undefined where that is not explained. Each report of the explanation reads at most
 * what the report reads without filters, and by their fields
 */
export async function estimateExplanation(input: ReportInput, estimate: Estimate): Promise<CostEstimate | undefined> {
  const { query } = input;
  const fields = query.filters.map(({ field }) => field);
  const dimensions = [...new Set([...query.dimensions, ...fields.filter(isDimension)])];
  const metrics = [...new Set([...query.metrics, ...fields.filter(isMetric)])];
  const unfiltered = { ...query, dimensions, metrics, filters: [], sort: [], compare: undefined };
  try {
    const whole = await estimate({ ...input, query: unfiltered });
    // one whether there are facts, then those that find the filter, each twice for a single row, and the filter's least and greatest values
    const checks = 1 + Math.ceil(Math.log2(fields.length + 1));
    const reports = (query.dimensions.length === 0 ? 2 : 1) * checks + 2;
    const cost = sumCosts(Array.from({ length: reports }, () => whole));
    return cost.seconds > MAX_SECONDS ? undefined : cost;
  } catch (error) {
    if (isLimitExceeded(error, input)) return undefined;
    throw error;
  }
}

/** @returns whether the error ends the explanation only */
function isLimitExceeded(error: unknown, { deadline }: ReportInput): boolean {
  return error instanceof ApiError && LIMITS.includes(error.code) && deadline?.isExceeded !== true;
}

/**
 * @param input of a report without rows, or of one whose single row may have no facts
 * @param compute computes a report of `input`
 * @returns a warning that names the first filter that leaves no row, with values that exist; or that the advertisers have no such data. None where this would
 * take too long
 */
export async function explainEmpty(
  input: ReportInput,
  compute: (input: ReportInput) => Promise<ReportResult>,
  estimate: Estimate,
): Promise<ReportWarning[]> {
  const isFiltered = input.query.filters.length > 0;
  if (isFiltered && (await estimateExplanation(input, estimate)) === undefined) return [];
  const { query } = input;
  const isSingle = query.dimensions.length === 0;
  const deadline = input.deadline?.forOptional();
  const run: Compute = (changes, size) =>
    compute({
      ...input,
      ...(deadline && { deadline }),
      query: { ...query, compare: undefined, sort: [], ...changes, pagination: { offset: 0, size } },
    });
  // a single row is there without facts, too, unless a filter on a metric drops it
  const isEmpty = async (filters: readonly Filter[]) => {
    const found = await run({ filters }, 1);
    if (!isSingle || found.totalCount === 0) return found.totalCount === 0;
    return (await run({ filters: filters.filter(isOfRows), dimensions: ['advertiser_id'] }, 1)).totalCount === 0;
  };
  try {
    if (isSingle && !(await isEmpty(query.filters))) return [];
    const index = await findEmptying(query.filters, isEmpty);
    const filter = query.filters[index];
    const [field, phrase] =
      filter === undefined
        ? (['daily_date', await explainNoData(input)] as const)
        : [filter.field, await explainFilter(query, filter, query.filters.slice(0, index), run)];
    return [warn('NO_ROWS', [field], phrase)];
  } catch (error) {
    if (isLimitExceeded(error, input)) return [];
    throw error;
  }
}

/** @returns the index of the first filter that, with those before it, leaves no row; -1 if there are none without filters */
async function findEmptying(
  filters: readonly Filter[],
  isEmpty: (filters: readonly Filter[]) => Promise<boolean>,
): Promise<number> {
  let [low, high] = [0, filters.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (await isEmpty(filters.slice(0, middle))) high = middle;
    else low = middle + 1;
  }
  return low - 1;
}

/** @param before the filters that leave rows, among which the filter finds none */
async function explainFilter(
  query: ReportQuery,
  { field }: Filter,
  before: readonly Filter[],
  run: Compute,
): Promise<Phrase> {
  const definition = isDimension(field) ? dimensionOf(field) : metricOf(field);
  const start = `The filter by ${definition.title} leaves no row.`;
  const entity = isMetric(field) ? attributeOf(field)?.entity : undefined;
  const values = isMetric(field)
    ? { metrics: [...new Set([...query.metrics, field])], filters: before }
    : { dimensions: [field], filters: before.filter(isOfRows) };
  // an attribute has a value by what it belongs to
  const ofEntity: Partial<ReportQuery> = entity
    ? { dimensions: [`${entity}_id`], filters: before.filter(isOfRows) }
    : {};
  const { length } = values.filters;
  const those =
    length === 0 || length < before.length ? 'Its values are' : 'With the filters before it, its values are';
  const lowest = await run(
    { ...values, ...ofEntity, sort: [{ field, order: 'ASC' }] },
    entity ? MAX_ENTITIES : MAX_NAMED,
  );
  const found = [...new Set(lowest.data.flatMap((row) => row[field] ?? []))];
  const [least] = found;
  if (least === undefined) return text`${start} It has no value here.`;
  if (definition.type === 'text') {
    const more = lowest.totalCount > lowest.data.length ? lowest.totalCount - found.length : found.length - MAX_NAMED;
    const named = found.slice(0, MAX_NAMED).map((value) => quoteText(String(value)));
    return text`${start} ${those} ${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}.`;
  }
  const [highest] = (await run({ ...values, ...ofEntity, sort: [{ field, order: 'DESC' }] }, 1)).data;
  const most = highest?.[field];
  const style = isMetric(field) && metricOf(field).unit === 'fraction' ? 'percent' : 'decimal';
  const show = (value: ReportValue = null) => {
    if (definition.type === 'date') return date(String(value));
    if (typeof value !== 'number' || !isMetric(field)) return String(value);
    return { detail: String(value), message: value.toLocaleString('en-US', { style, maximumFractionDigits: 6 }) };
  };
  return text`${start} ${those} ${show(least)}${most === least ? '' : text` to ${show(most)}`}.`;
}

/** @returns whether the filter applies before grouping, so that it means the same whatever the report groups by */
function isOfRows({ field }: Filter): boolean {
  return isDimension(field) || attributeOf(field) !== undefined;
}

/** @returns that the advertisers have no such data in the period, and in which months they have some */
async function explainNoData({ query, scope: { advertiserIds }, source }: ReportInput): Promise<Phrase> {
  const plan = planReport(query);
  const start = 'The advertisers of the report have no such data in the period';
  const tables = plan.scans.map(({ table }) => table);
  if (tables.length === 0 || advertiserIds.length > HEADS_PER_READ) return text`${start}.`;
  const heads = await source.factHeads(advertiserIds);
  const months = [...heads.values()].flatMap((head) =>
    plan.experiences.flatMap((name) => tables.flatMap((table) => head.months.get(name)?.get(table) ?? [])),
  );
  const known = [...new Set(months)].sort();
  const [first, last] = [known[0], known.at(-1)];
  if (first === undefined || last === undefined) return text`${start}, nor at any other time.`;
  return text`${start}; they have some in months from ${first} to ${last}.`;
}
