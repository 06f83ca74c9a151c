import { SORT_VALUE_NAMES } from '../../../shared/catalog/compared-values.ts';
import { DIMENSION_NAMES } from '../../../shared/catalog/dimensions.ts';
import { METRIC_NAMES, METRICS, type MetricName } from '../../../shared/catalog/metrics.ts';
import { isPattern, OPERATOR_NAMES, OPERATORS, type Operator } from '../../../shared/catalog/operators.ts';
import { REPORT_EXPERIENCES } from '../../../shared/catalog/tables.ts';
import { writeReport } from '../../../shared/contract/report/report-text.ts';
import { COMPARISON_NAMES } from '../../../shared/lib/compared-period.ts';
import { type OperationView, operations } from '../../contract/openapi-document.ts';
import type { Random } from '../../oracle/random/random.ts';

/** What random requests are made of. */
export interface RequestPool {
  /** Ids that the caller has or guesses, of all kinds. */
  readonly ids: readonly number[];
  /** Ids of one kind, by the parameter or field that takes them; they are tried more often there than others. */
  readonly idsOf?: Readonly<Record<string, readonly number[]>>;
  readonly advertiserIds: readonly number[];
  /** Texts that filters may find something by. */
  readonly texts: readonly string[];
  /** Days of reports. */
  readonly dates: readonly string[];
  /** Metrics to request and to filter by; absent: all. */
  readonly metrics?: readonly MetricName[];
}

/** A request of one operation of the OpenAPI document. */
export interface OperationRequest {
  readonly method: 'GET' | 'POST';
  /** The route's path template. */
  readonly path: string;
  readonly pathParameters: Readonly<Record<string, string>>;
  readonly query: readonly (readonly [string, string])[];
  readonly body?: object;
  /** The value of Accept; absent: the request has no such header. */
  readonly accept?: string;
}

/** Reports have the most positions for ids and the most code behind them. */
const REPORT_SHARE = 0.5;
const ODD_NUMBERS = ['0', '-1', '9007199254740991', '9007199254740992', '1e3', '00101', ' 101', 'x', ''];
const REPORTS = operations.filter(([, , operation]) => isReport(operation));
const OTHERS = operations.filter((operation) => operation[2].requestBody === undefined && !REPORTS.includes(operation));
const WITH_IDS = OTHERS.filter(([, , { parameters = [] }]) => parameters.some(({ name }) => name.endsWith('_id')));
const JSON_TYPE = 'application/json';
const FORMATS = [...new Set(operations.flatMap(([, , operation]) => formatsOf(operation)))];

/** @returns a request of any operation of the document. Most are valid; whatever it is, the service must have a response to it. */
export function randomRequest(random: Random, pool: RequestPool): OperationRequest {
  const [path, method, operation] = random.pick(
    random.chance(REPORT_SHARE) ? REPORTS : [...OTHERS, ...WITH_IDS, ...WITH_IDS],
  );
  const report = isReport(operation) ? randomReport(random, pool) : undefined;
  const isUrl = report !== undefined && method === 'get';
  const given = (operation.parameters ?? []).filter(
    ({ in: at, required }) => !(isUrl && at === 'query') && (required || random.chance(0.7)),
  );
  const values = given.map((parameter) => [parameter, randomParameter(random, pool, parameter)] as const);
  const valuesIn = (place: string) =>
    values.flatMap(([{ name, in: at }, value]) => (at === place ? [[name, value] as const] : []));
  return {
    ...{
      method: method === 'post' ? 'POST' : 'GET',
      path,
      query: isUrl ? randomUrl(random, pool, report) : valuesIn('query'),
    },
    pathParameters: Object.fromEntries(valuesIn('path')),
    ...(report === undefined || isUrl ? {} : { body: report }),
  };
}

/** @returns the request with another `Accept`: mostly for JSON, otherwise for a format of the operation, or now and then of any operation */
export function withAccept(random: Random, request: OperationRequest): OperationRequest {
  if (random.chance(0.05)) return { ...request, accept: random.pick(FORMATS) };
  const accept = random.chance(0.5) ? JSON_TYPE : random.pick(formatsOf(operationOf(request)));
  const parameters = accept === 'text/csv' ? random.pick(['', '', ';header=bom', ';formulas=escaped']) : '';
  return { ...request, accept: accept + parameters };
}

/** @returns the operation of the document that the request calls */
export function operationOf({ method, path }: OperationRequest): OperationView {
  const found = operations.find(([at, name]) => at === path && name.toUpperCase() === method);
  if (found === undefined) throw new Error(`the document has no operation ${method} ${path}`);
  return found[2];
}

/** @returns the media types that the document names for the operation's response */
export function formatsOf({ responses }: OperationView): string[] {
  const { content = {}, 'x-endcap-formats': files = {} } = responses[200] ?? {};
  return Object.keys({ ...content, ...files });
}

/** @returns the names of the operations that random requests are made of; all others have a body that is not a report */
export function coveredOperations(): string[] {
  return [...REPORTS, ...OTHERS].map(([, , { operationId }]) => operationId);
}

function isReport({ requestBody, operationId }: OperationView): boolean {
  return (
    operationId === 'getReport' || JSON.stringify(requestBody ?? '').includes('"#/components/schemas/ReportRequest"')
  );
}

/** Before and after what is loaded. */
const TIMES = ['2020-01-01T00:00:00Z', '2026-03-01T06:00:00Z', '2026-03-01T01:00:00.001-05:00', '2030-01-01T00:00:00Z'];

function randomParameter(
  random: Random,
  pool: RequestPool,
  parameter: NonNullable<OperationView['parameters']>[number],
): string {
  const { name, schema } = parameter;
  if (name === 'experience_name')
    return random.pick([...REPORT_EXPERIENCES, ...REPORT_EXPERIENCES, 'PLA', 'Toa', 'ALL']);
  if (name === 'since' && random.chance(0.8)) return random.pick(TIMES);
  if (name === 'format' && random.chance(0.7)) return 'json';
  if (schema.enum !== undefined && random.chance(0.8)) return random.pick(schema.enum);
  if (schema.type !== 'integer') return random.pick(pool.texts);
  if (random.chance(0.05)) return random.pick(ODD_NUMBERS);
  if (name.endsWith('_id')) return randomId(random, pool, name);
  const { minimum = 0, maximum = 100 } = schema;
  return String(Math.min(maximum, minimum + random.pick([0, random.int(10), random.int(40), 99])));
}

function randomId(random: Random, pool: RequestPool, name: string): string {
  const ids = pool.idsOf?.[name] ?? pool.ids;
  return String(random.pick(random.chance(0.8) ? ids : pool.ids));
}

/** @returns the query of the report as a URL; half of them are altered, as people and programs alter URLs */
function randomUrl(random: Random, pool: RequestPool, report: ReturnType<typeof randomReport>): [string, string][] {
  const { offset, size } = report.pagination;
  const query = [...writeReport({ ...report, experience: '' })].filter(([name]) => name !== 'experience');
  if (random.chance(0.5)) query.push(['offset', String(offset)], ['size', String(size)]);
  if (random.chance(0.5)) query.push(['format', random.pick(['json', 'csv', 'arrow', 'xml'])]);
  if (random.chance(0.5)) return query;
  const at = random.int(query.length);
  const [name, text] = query[at] ?? ['by', ''];
  const cut = random.int(text.length + 1);
  const foreign = String(random.pick(pool.ids));
  const altered = random.pick([
    text.slice(0, cut),
    `${text.slice(0, cut)}${random.pick([',', '"', '=', '..', '~', '!', ' ', '%', '-', '\u0000', '\ud800'])}${text.slice(cut)}`,
    `${text},${foreign}`,
    random.pick(pool.texts),
  ]);
  query.splice(at, random.int(2), [name, altered]);
  if (random.chance(0.3)) query.push(['advertisers', foreign]);
  return query;
}

/** @returns the body of a report request. It may be rejected, for example because an id is not an advertiser of the caller or a value has another type. */
export function randomReport(random: Random, pool: RequestPool) {
  const dimensions = random.sample(DIMENSION_NAMES, random.pick([0, 1, 1, 2, 2, 3, 5, DIMENSION_NAMES.length]));
  const metrics = random.sample(pool.metrics ?? METRIC_NAMES, random.pick([1, 1, 2, 3, 8, METRIC_NAMES.length]));
  const [startDate = '', endDate = ''] = [random.pick(pool.dates), random.pick(pool.dates)].sort();
  const isCompared = random.chance(0.3);
  const [first = '', last = ''] = [random.pick(pool.dates), random.pick(pool.dates)].sort();
  const compare = random.chance(0.5) ? random.pick(COMPARISON_NAMES) : { startDate: first, endDate: last };
  const by = isCompared && random.chance(0.7) ? { by: random.pick(SORT_VALUE_NAMES) } : {};
  return {
    ...{ startDate, endDate, dimensions, metrics },
    ...(isCompared ? { compare } : {}),
    filters: Array.from({ length: random.pick([0, 0, 1, 1, 2, 4]) }, () => randomFilter(random, pool)),
    advertiserIds: random.chance(0.6)
      ? []
      : random.sample(random.chance(0.5) ? pool.advertiserIds : pool.ids, 1 + random.int(3)),
    sort: random
      .sample([...dimensions, ...metrics], random.int(3))
      .map((field) => ({ field, order: random.pick(['ASC', 'DESC'] as const), ...(field in METRICS ? by : {}) })),
    pagination: { offset: random.pick([0, 0, 0, 1, 3, 20]), size: random.pick([1, 3, 20, 1_000]) },
  };
}

function randomFilter(random: Random, pool: RequestPool) {
  const operator = random.pick(OPERATOR_NAMES);
  const field = random.chance(0.8) ? random.pick(DIMENSION_NAMES) : random.pick(pool.metrics ?? METRIC_NAMES);
  const count = { none: 0, one: 1, two: 2, some: 1 + random.int(4) }[OPERATORS[operator].arity];
  return { field, operator, values: Array.from({ length: count }, () => randomValue(random, pool, field, operator)) };
}

function randomValue(random: Random, pool: RequestPool, field: string, operator: Operator): string {
  if (isPattern(operator)) {
    const text = random.pick([...pool.texts, ...pool.dates, String(random.pick(pool.ids))]);
    const from = random.int(text.length);
    return random.pick([
      text,
      `${text.slice(0, 1 + random.int(3))}%`,
      `%${text.slice(from)}`,
      `%${text.slice(from, from + 2)}%`,
      '%',
    ]);
  }
  if (field.endsWith('_date')) return random.pick(pool.dates);
  if (/_id$|^hour$/.test(field)) return random.chance(0.2) ? String(random.int(24)) : randomId(random, pool, field);
  return random.pick(random.chance(0.5) ? pool.texts : [String(random.int(200)), '0', '0.5']);
}
