import { SORT_VALUE_NAMES } from '../../../shared/catalog/compared-values.ts';
import { DIMENSION_NAMES, type DimensionName, isDimension } from '../../../shared/catalog/dimensions.ts';
import { METRIC_NAMES, type MetricName } from '../../../shared/catalog/metrics.ts';
import type { Operator } from '../../../shared/catalog/operators.ts';
import { EXPERIENCES, REPORT_EXPERIENCES } from '../../../shared/catalog/tables.ts';
import { dayNumber, formatDay } from '../../../shared/lib/calendar.ts';
import type { Filter, ReportQuery, ReportScope, ReportValue } from '../../../shared/report/query/query.ts';
import type { Dataset } from '../../support/facts.ts';
import { DIMENSION_SQL, type SqlType } from '../sql/dimension-sql.ts';
import type { Oracle } from '../sql/duckdb.ts';
import { ATTRIBUTES, metricType } from '../sql/metric-sql.ts';
import type { Random } from './random.ts';

/** The values of the dataset's dimensions, to filter by. */
export type ValuePool = ReadonlyMap<DimensionName, readonly ReportValue[]>;

const ANY_TYPE: readonly Operator[] = [
  ...(['EQUALS', 'IN', 'NOT_EQUALS', 'NOT_IN', 'GREATER_THAN', 'GREATER_THAN_OR_EQUAL'] as const),
  ...(['LESS_THAN', 'LESS_THAN_OR_EQUAL', 'BETWEEN', 'IS_NULL', 'NOT_NULL'] as const),
];
const SEARCHES: readonly Operator[] = ['CONTAINS', 'NOT_CONTAINS', 'STARTS_WITH', 'LIKE', 'LIKE_IN', 'NOT_LIKE'];
const OPERATORS: Readonly<Record<SqlType, readonly Operator[]>> = {
  text: [...ANY_TYPE, ...SEARCHES, ...SEARCHES],
  integer: [...ANY_TYPE, ...SEARCHES],
  date: [...ANY_TYPE, ...SEARCHES],
  decimal: ANY_TYPE,
  amount: ANY_TYPE,
};

/** The dimensions by which every metric is defined. */
const COARSE_DIMENSIONS = DIMENSION_NAMES.filter((name) =>
  ['date', 'ad group', 'campaign', 'advertiser', 'experience'].includes(DIMENSION_SQL[name].level),
);

const PERIODS: readonly (readonly [startDate: string, endDate: string])[] = [
  ['2024-11-20', '2025-05-10'],
  ['2024-12-15', '2025-04-10'],
  ['2025-03-01', '2025-03-31'],
  ['2025-01-27', '2025-03-04'],
  ['2025-03-12', '2025-03-12'],
  ['2025-02-01', '2025-02-28'],
  ['2025-04-05', '2025-05-31'],
  ['2025-01-01', '2025-01-19'],
];

/** @returns the values of every dimension in the conversions of pla, which has all dimensions; of experience_name, all */
export async function valuePool(oracle: Oracle, data: Dataset): Promise<ValuePool> {
  const accountIds = accountsOf(data, [0, 1]);
  const advertiserIds = advertisersOf(data, accountIds);
  const scope = { accountIds, advertiserIds, ownAdvertiserIds: advertiserIds };
  const everything = { startDate: '2024-11-01', endDate: '2025-05-31', filters: [], sort: [], metrics: [] };
  const pagination = { offset: 0, size: 10_000 };
  const query: ReportQuery = { ...everything, experience: 'pla', dimensions: DIMENSION_NAMES, pagination };
  const { data: rows } = await oracle.run(query, scope);
  const values = DIMENSION_NAMES.map((name) => [name, [...new Set(rows.map((row) => row[name] ?? null))]] as const);
  return new Map<DimensionName, readonly ReportValue[]>([...values, ['experience_name', EXPERIENCES]]);
}

/** @returns the scope of a random caller: some of the advertisers that its accounts own */
export function randomScope(random: Random, data: Dataset): ReportScope {
  const accountIds = accountsOf(data, random.pick([[0, 1], [0, 1], [0], [1], [0, 1, 2]]));
  const owned = advertisersOf(data, accountIds);
  const some = random.chance(0.4) ? owned : random.sample(owned, 1 + random.int(owned.length));
  return { accountIds, advertiserIds: some.toSorted((a, b) => a - b), ownAdvertiserIds: owned };
}

function accountsOf(data: Dataset, places: readonly number[]): Set<number> {
  return new Set(places.map((at) => Number(data.tables.accounts[at]?.id)));
}

function advertisersOf(data: Dataset, accountIds: ReadonlySet<number>): number[] {
  const owned = data.tables.advertisers.filter(
    ({ accountIds: owners }) => Array.isArray(owners) && owners.some((id) => accountIds.has(id)),
  );
  return owned.map((advertiser) => Number(advertiser.id));
}

/** @returns the query; a third of all with a period to compare with, of the same or another length, and sorted by changes */
export async function randomQuery(
  random: Random,
  pool: ValuePool,
  sampleMetrics: SampleMetrics,
  turn: number,
): Promise<ReportQuery> {
  const query = await randomReport(random, pool, sampleMetrics, turn);
  if (turn % 3 !== 2) return query;
  const [first, last] = [dayNumber(query.startDate), dayNumber(query.endDate)];
  const earlier = random.pick([last - first + 1, 7 * Math.ceil((last - first + 1) / 7), 28, 31, 1]);
  const shifted = [formatDay(first - earlier), formatDay(last - earlier)] as const;
  const [startDate, endDate] = random.pick([shifted, shifted, random.pick(PERIODS)]);
  const sort = query.sort.map((entry) => {
    const isNumeric = !isDimension(entry.field) && ['decimal', 'amount'].includes(metricType(entry.field));
    return isNumeric ? { ...entry, by: random.pick(SORT_VALUE_NAMES) } : entry;
  });
  return { ...query, sort, compare: { startDate, endDate } };
}

type SampleMetrics = (query: ReportQuery) => Promise<readonly Readonly<Record<string, ReportValue>>[]>;

/**
 * @param pool the values to filter dimensions by
 * @param sampleMetrics returns the rows of a query without metric filters, whose values are used to filter metrics by
 * @param turn counts the queries, so that each dimension has its turn, however many there are
 */
async function randomReport(
  random: Random,
  pool: ValuePool,
  sampleMetrics: SampleMetrics,
  turn: number,
): Promise<ReportQuery> {
  const paced = random.chance(0.2);
  const next = DIMENSION_NAMES.slice(turn % DIMENSION_NAMES.length).slice(0, 1);
  const isCoarse = next.every((name) => COARSE_DIMENSIONS.includes(name));
  const names = paced || (isCoarse && random.chance(0.5)) ? COARSE_DIMENSIONS : DIMENSION_NAMES;
  const drawn = random.sample(names, random.pick([0, 1, 1, 2, 2, 2, 3, 4]));
  const experience = random.pick(REPORT_EXPERIENCES);
  const byName = experience === 'all' ? (['experience_name'] as const) : [];
  const dimensions = [
    ...new Set([
      ...(drawn.length === 0 || (paced && !isCoarse) ? drawn : [...next, ...drawn.slice(1)]),
      ...byName.filter(() => random.chance(0.3)),
    ]),
  ];
  const minMetrics = dimensions.length === 0 ? 1 : 0;
  const some = random.sample(
    METRIC_NAMES,
    Math.max(minMetrics, random.pick([0, 1, 2, 3, 4, 6, METRIC_NAMES.length, METRIC_NAMES.length])),
  );
  const metrics = [
    ...new Set<MetricName>([...some, ...(paced ? [random.pick(['pacing', 'pacing', 'planned_cost'] as const)] : [])]),
  ];
  const [startDate, endDate] = random.pick(PERIODS, 2.5);
  const query: ReportQuery = {
    ...{ experience, startDate, endDate, metrics, dimensions },
    filters: Array.from({ length: random.pick([0, 0, 0, 0, 0, 1, 1, 2]) }, () =>
      dimensionFilter(random, random.chance(0.3) ? (byName[0] ?? random.pick(names)) : random.pick(names), pool),
    ),
    sort: random.sample([...dimensions, ...metrics], random.int(4)).map((field) => ({
      field,
      order: random.pick(['ASC', 'DESC'] as const),
    })),
    pagination: { offset: random.pick([0, 0, 0, 3, 100]), size: random.pick([10_000, 50, 7, 1]) },
  };
  if (random.chance(0.55)) return query;
  const candidates = random.sample(METRIC_NAMES, 6);
  const whole = { metrics: candidates, sort: [], pagination: { offset: 0, size: 1_000 } };
  const sample = await sampleMetrics({ ...query, ...whole });
  const valued = candidates.filter((name) => sample.some((row) => row[name] !== null));
  const filtered = (valued.length > 0 && random.chance(0.9) ? valued : candidates).slice(0, random.pick([1, 1, 2]));
  return { ...query, filters: [...query.filters, ...filtered.map((name) => metricFilter(random, name, sample))] };
}

function dimensionFilter(random: Random, field: DimensionName, pool: ValuePool): Filter {
  return filterOf(random, field, DIMENSION_SQL[field].type, pool.get(field) ?? []);
}

/** Filters by exact values of the sampled report, or by others near them, most of which it does not have. */
function metricFilter(
  random: Random,
  field: MetricName,
  sample: readonly Readonly<Record<string, ReportValue>>[],
): Filter {
  const values = sample.map((row) => row[field] ?? null);
  if (field in ATTRIBUTES || random.chance(0.7)) return filterOf(random, field, metricType(field), values);
  const rounded = values.map((value) => (typeof value === 'number' ? Number((value * 0.99).toFixed(4)) : value));
  return filterOf(random, field, metricType(field), rounded);
}

function filterOf(
  random: Random,
  field: DimensionName | MetricName,
  type: SqlType,
  pool: readonly ReportValue[],
): Filter {
  const operator = random.pick(OPERATORS[type]);
  const present = pool.filter((value) => value !== null);
  const value = (): string => {
    if (present.length === 0 || random.chance(0.05)) return arbitraryValue(type);
    const text = String(random.pick(present));
    return SEARCHES.includes(operator) ? randomPattern(random, text) : text;
  };
  const counts: Partial<Record<Operator, number>> = {
    IS_NULL: 0,
    NOT_NULL: 0,
    BETWEEN: 2,
    IN: 3,
    NOT_IN: 3,
    LIKE_IN: 2,
    CONTAINS: 2,
    NOT_CONTAINS: 2,
    STARTS_WITH: 2,
  };
  const values = Array.from({ length: counts[operator] ?? 1 }, value);
  const ordered = operator === 'BETWEEN' ? values.toSorted((a, b) => compare(a, b, type)) : values;
  return { field, operator, values: isDimension(field) && operator === 'EQUALS' ? [...ordered, value()] : ordered };
}

function arbitraryValue(type: SqlType): string {
  return type === 'text' ? 'no such value' : type === 'date' ? '2025-01-05' : '12';
}

function compare(a: string, b: string, type: SqlType): number {
  if (type !== 'text' && type !== 'date') return Number(a) - Number(b);
  return Buffer.compare(Buffer.from(a), Buffer.from(b)); // UTF-8 bytes are in the order of code points
}

/** @returns a pattern made of a part of the text, in the other case or not, with or without wildcards and escapes; or `_`, which is no wildcard */
function randomPattern(random: Random, text: string): string {
  const characters = [...text];
  const from = random.int(characters.length);
  const part = characters.slice(from, from + 1 + random.int(5)).join('');
  const turned = part === part.toUpperCase() ? part.toLowerCase() : part.toUpperCase();
  return random.pick([
    turned,
    `%${turned}%`,
    `${characters.slice(0, 2).join('')}%`,
    `%${characters.slice(-2).join('')}`,
    '_',
    turned.replace(/.$/u, '%'),
    turned.replaceAll('%', '\\%'),
    `${characters.slice(0, 2).join('')}\\%`,
    '\\%',
  ]);
}
