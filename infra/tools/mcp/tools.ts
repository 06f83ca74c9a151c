import { EXPERIENCES } from '../../../shared/catalog/tables.ts';
import type { Client, Experience, FieldCatalogue, Operator, ReportHeader } from '../../../shared/client/client.ts';
import { FieldNames, mentions } from '../query/field-names.ts';
import { findPeriod, lastCompleteDay } from '../query/period.ts';
import { describeBasis, roundedCsv, unitOf } from './describe-report.ts';

/** The result of a tool: text to read, and the same as data, with unrounded figures. */
export interface Answer {
  readonly text: string;
  readonly data: Record<string, unknown>;
}

/** Limits of a result, so that it does not fill an agent's context. */
export const MAX_ROWS = 200;
export const MAX_VALUES = 50;
const MAX_ACCOUNTS = 20;
const MAX_ADVERTISERS = 50;

interface PeriodRequest {
  readonly last?: string | undefined;
  readonly start_date?: string | undefined;
  readonly end_date?: string | undefined;
}

export async function listAccess(client: Client): Promise<Answer> {
  const { userType } = await client.claims();
  const page = await client.accounts().page({ size: MAX_ACCOUNTS });
  const accounts = await Promise.all(
    page.data.map(async ({ id = 0, name = '' }) => {
      const { data, meta } = await client.advertisers(id).page({ size: MAX_ADVERTISERS });
      return {
        id,
        name,
        advertisers: data.map((advertiser) => ({ id: advertiser.id, name: advertiser.name })),
        total: meta.page.total,
      };
    }),
  );
  const days = await Promise.all(EXPERIENCES.map((experience) => lastCompleteDay(client, experience)));
  const { timezone, currency } = (await client.fields()).meta;
  const dataCompleteThrough = Object.fromEntries(EXPERIENCES.map((name, index) => [name, days[index] ?? null]));
  const lines = accounts.map(({ id, name, advertisers, total }) => {
    const more = total > advertisers.length ? `, and ${total - advertisers.length} more` : '';
    return `- account ${id} ${name}: advertisers ${advertisers.map((advertiser) => `${advertiser.id} ${advertiser.name}`).join(', ')}${more}`;
  });
  const text = [
    `You may see ${page.meta.page.total} accounts as ${userType === 'CPG' ? 'a brand (CPG)' : 'an agency'}:`,
    ...lines,
    ...(page.meta.page.hasMore ? [`- and ${page.meta.page.total - accounts.length} more accounts`] : []),
    `Data is complete through: ${EXPERIENCES.map((name, index) => `${name} ${days[index] ?? 'no data'}`).join(', ')}.`,
    `Amounts are in ${currency}; days and hours are those of ${timezone}.`,
  ];
  return { text: text.join('\n'), data: { userType, accounts, dataCompleteThrough, currency, timezone } };
}

export async function describeFields(
  client: Client,
  { search, names }: { readonly search?: string | undefined; readonly names?: readonly string[] | undefined },
): Promise<Answer> {
  const { data, meta } = await client.fields();
  const known = new FieldNames(data);
  const wanted = names && new Set<string>(names.map((name) => known.field(name)));
  const fields = [...data.metrics, ...data.dimensions].filter((field) => {
    return wanted === undefined ? mentions(field, search ?? '') : wanted.has(field.name);
  });
  if (wanted === undefined && search === undefined) return listNames(data);
  const rules = data.rules.filter((rule) => rule.fields.some((name) => fields.some((field) => field.name === name)));
  const lines = fields.map((field) => {
    const kind = 'kind' in field ? `metric of kind ${field.kind}` : 'dimension';
    const values = field.values === undefined ? '' : ` Values: ${field.values.join(', ')}.`;
    return `- ${field.name} (${kind}, in ${unitOf(field, meta.currency)}): ${field.description}${values}`;
  });
  const ruleLines = rules.map((rule) => {
    const affected = rule.fields.filter((name) => fields.some((field) => field.name === name)).join(', ');
    const by = rule.dimensions.length === 0 ? '' : ` by ${rule.dimensions.join(', ')}`;
    const where = rule.experiences.length === EXPERIENCES.length ? '' : ` in ${rule.experiences.join(', ')}`;
    return `- ${affected}: null${rule.effect === 'null' ? '' : ' in some rows'}${where}${by}. ${rule.reason}`;
  });
  const text = [
    fields.length === 0 ? `No field has "${search}" in its name or description.` : 'Fields:',
    ...lines,
    ...(ruleLines.length > 0 ? ['When they have no value, grouped or filtered as stated:', ...ruleLines] : []),
  ];
  return { text: text.join('\n'), data: { fields, rules, operators: data.operators } };
}

function listNames({ metrics, dimensions, operators }: FieldCatalogue['data']): Answer {
  const groups = (fields: readonly { readonly name: string; readonly group: string }[]) =>
    [...Map.groupBy(fields, ({ group }) => group)].map(
      ([group, members]) => `- ${group}: ${members.map(({ name }) => name).join(', ')}`,
    );
  const text = [
    'Metrics by group:',
    ...groups(metrics),
    'Dimensions by group:',
    ...groups(dimensions),
    `Filter operators: ${operators.map(({ name }) => name).join(', ')}.`,
    'Call again with names or a search for units, meanings and rules.',
  ];
  const brief = (fields: readonly { readonly name: string }[]) => fields.map(({ name }) => name);
  return { text: text.join('\n'), data: { metrics: brief(metrics), dimensions: brief(dimensions) } };
}

export interface RunReportRequest extends PeriodRequest {
  readonly experience: Experience;
  readonly metrics: readonly string[];
  readonly dimensions: readonly string[];
  readonly filters: readonly {
    readonly field: string;
    readonly operator: Operator;
    readonly values: readonly (string | number)[];
  }[];
  readonly advertiser_ids: readonly number[];
  readonly sort?: readonly { readonly field: string; readonly order: 'ASC' | 'DESC' }[] | undefined;
  readonly limit: number;
  readonly offset: number;
}

export async function runReport(client: Client, request: RunReportRequest): Promise<Answer> {
  const { experience, limit, offset } = request;
  const names = new FieldNames((await client.fields()).data);
  const metrics = names.metrics(request.metrics);
  const byFirst = metrics.slice(0, 1).map((field) => ({ field, order: 'DESC' as const }));
  const query = {
    ...(await periodOf(client, experience, request)),
    metrics,
    dimensions: names.dimensions(request.dimensions),
    filters: request.filters.map((filter) => ({ ...filter, field: names.field(filter.field) })),
    advertiserIds: request.advertiser_ids,
    sort: request.sort?.map(({ field, order }) => ({ field: names.field(field), order })) ?? byFirst,
  };
  const { headers, data, totals, totalCount, meta } = await client.report(experience, query, { offset, size: limit });
  const isMetric = ({ role }: ReportHeader) => role === 'metric';
  const rest = totalCount - offset - data.length;
  const text = [
    `${experience}, ${query.startDate} to ${query.endDate}. ${describeBasis(meta, query.endDate)}`,
    'Totals of the whole report:',
    ...roundedCsv(headers.filter(isMetric), [totals]),
    ...(data.length === 0
      ? [`No rows from offset ${offset} on; the report has ${totalCount}.`]
      : [`Rows ${offset + 1} to ${offset + data.length} of ${totalCount}:`, ...roundedCsv(headers, data)]),
    ...(rest > 0 ? [`For the rest, filter, sort, or read on with offset ${offset + data.length}.`] : []),
    ...meta.warnings.map(({ field, detail }) => `Warning, ${field}: ${detail}`),
  ];
  const period = { startDate: query.startDate, endDate: query.endDate };
  const units = Object.fromEntries(headers.map((header) => [header.name, header.unit]));
  return { text: text.join('\n'), data: { experience, ...period, totals, totalCount, rows: data, units, meta } };
}

export async function suggestValues(
  client: Client,
  request: PeriodRequest & {
    readonly experience: Experience;
    readonly dimension: string;
    readonly contains?: string | undefined;
  },
): Promise<Answer> {
  const { experience, contains } = request;
  const [dimension] = new FieldNames((await client.fields()).data).dimensions([request.dimension]);
  if (dimension === undefined) throw new Error('a dimension is required');
  const query = {
    ...(await periodOf(client, experience, request)),
    dimensions: [dimension],
    filters: [
      { field: dimension, operator: 'NOT_NULL' as const },
      ...(contains === undefined ? [] : [{ field: dimension, operator: 'LIKE' as const, values: [`%${contains}%`] }]),
    ],
  };
  const { data, totalCount, meta } = await client.report(experience, query, { size: MAX_VALUES });
  const values = data.map((row) => row[dimension] ?? null);
  const more =
    totalCount > values.length ? `, the first ${values.length} of ${totalCount}; narrow them with contains` : '';
  const text = [
    `${totalCount} values of ${dimension} in ${experience}, ${query.startDate} to ${query.endDate}${more}:`,
    ...values.map((value) => `- ${value}`),
    describeBasis(meta, query.endDate),
  ];
  return { text: text.join('\n'), data: { dimension, values, totalCount, meta } };
}

function periodOf(client: Client, experience: Experience, { last, start_date, end_date }: PeriodRequest) {
  const recent = start_date === undefined ? '28d' : undefined;
  return findPeriod({ last: last ?? recent, from: start_date, to: end_date }, client, experience);
}
