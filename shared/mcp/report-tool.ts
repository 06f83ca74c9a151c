import type * as z from 'zod';
import { parseCompare, writeLink, writeReport } from '../../../../shared/contract/report/report-text.ts';
import { quoteText } from '../../../../shared/lib/quote-text.ts';
import type { Client } from '../../../../shared/web/client/client.ts';
import { describeEstimate } from '../query/describe-estimate.ts';
import type { Wording } from '../query/explain-error.ts';
import { collect, FieldNames, requireAll } from '../query/field-names.ts';
import { flattenCompared } from '../query/flatten-compared.ts';
import type { Service } from '../query/open-client.ts';
import { compactCsv, describeBasis } from './describe-result.ts';
import type { runReportInput } from './inputs.ts';
import { fitLines } from './limit-result.ts';

type RunReportRequest = z.output<typeof runReportInput>;
const DATE_MEMBERS = { startDate: 'start_date', endDate: 'end_date' };

/** The tool's arguments that stand for the dates of the request body, for error messages; other members keep their names. */
export const PERIOD_WORDING: Wording = { members: DATE_MEMBERS, filters: [], advertiserIds: [], advertisersAdvice: '' };

/** @returns the tool's arguments for the members of the request body, for error messages */
export function wordingOf(request: RunReportRequest): Wording {
  return {
    members: {
      ...DATE_MEMBERS,
      metrics: 'metrics',
      dimensions: 'dimensions',
      filters: 'filters',
      sort: 'sort',
      compare: 'compare',
      pagination: 'limit',
      advertiserIds: 'advertiser_ids',
    },
    filters: filterTexts(request),
    advertiserIds: request.advertiser_ids,
    advertisersAdvice: 'list_access lists the advertisers that you may see.',
  };
}

function filterTexts({ filters }: RunReportRequest): string[] {
  const write = (value: string | number) => (typeof value === 'number' ? String(value) : quoteText(value));
  return filters.map(({ field, operator, values }) => [field, operator, values.map(write).join(', ')].join(' ').trim());
}

/** @returns the totals, up to `limit` rows as CSV, as many as fit into a result, the warnings, and a link to the report in the explorer, as lines. @throws Error about all names that do not exist; EndcapError if the service rejects the report */
export async function runReport({ client, url }: Service, request: RunReportRequest): Promise<string[]> {
  const { experience, limit, offset } = request;
  const query = await readQuery(client, request);
  const report = await client.report(experience, query, { offset, size: limit });
  const { totalCount, meta } = report;
  const { compared, period } = meta;
  const { headers, data, totals } = flattenCompared(report);
  const texts = filterTexts(request);
  const metrics = headers.filter(({ role }) => role === 'metric');
  const ids = request.advertiser_ids;
  const rows = totalCount === 1 ? '1 row' : `${totalCount} rows`;
  const totalsOf =
    totalCount === 1 ? 'the only row' : texts.length === 0 ? `all ${rows}` : `the ${rows} that pass the filters`;
  const before = [
    `${experience}, ${period.startDate} to ${period.endDate}. ${describeBasis(meta)}`,
    ...(compared === undefined
      ? []
      : [`Compared with ${compared.startDate} to ${compared.endDate}: columns _before, _change and _relative_change.`]),
    ...(texts.length === 0 ? [] : [`Filters: ${texts.join('; ')}`]),
    ...(ids.length === 0 ? [] : [`Advertisers: ${ids.join(', ')}`]),
    `Totals of ${totalsOf}:`,
    ...compactCsv(metrics, [totals]),
  ];
  const warnings = meta.warnings.map(({ fields, message }) => `Warning, ${fields.join(', ')}: ${message}`);
  if (meta.estimate !== undefined) return [describeEstimate(meta.estimate), ...warnings];
  const link = writeLink(writeReport({ ...query, experience, filters: query.filters.map(withTexts) }));
  const after = [...warnings, `Open in the explorer: ${url}/explorer#/report?${link}`];
  if (totalCount === 0) return [...before, ...after];
  if (data.length === 0)
    return [...before, `No rows from offset ${offset} on; the report has ${totalCount}.`, ...after];
  const rowsAndNotes = (count: number) => {
    const end = offset + count;
    return [
      `Rows ${offset + 1} to ${end} of ${totalCount}:`,
      ...compactCsv(headers, data.slice(0, count)),
      ...(end < totalCount ? [`For the rest, filter, sort, or read on with offset ${end}.`] : []),
    ];
  };
  return fitLines(data.length, (count) => [...before, ...rowsAndNotes(count), ...after]);
}

function withTexts<Filter extends { readonly values: readonly (string | number)[] }>(filter: Filter) {
  return { ...filter, values: filter.values.map(String) };
}

async function readQuery(client: Client, request: RunReportRequest) {
  const { data } = await client.fields();
  const names = new FieldNames(data);
  const [metrics, dimensions, filters, sort, compare] = requireAll([
    () => names.metrics(request.metrics),
    () => names.dimensions(request.dimensions),
    () => collect(request.filters, (filter) => names.withField(filter)),
    () => request.sort && collect(request.sort, (entry) => names.withField(entry)),
    () => (request.compare === undefined ? undefined : parseCompare(request.compare)),
  ]);
  const dates = data.dimensions.flatMap(({ name, type }) =>
    type === 'date' ? dimensions.filter((field) => field === name) : [],
  );
  const byDate = dates.map((field) => ({ field, order: 'ASC' as const }));
  const byFirst = metrics.slice(0, 1).map((field) => ({ field, order: 'DESC' as const }));
  return {
    startDate: request.start_date,
    endDate: request.end_date,
    metrics,
    dimensions,
    filters,
    advertiserIds: request.advertiser_ids,
    validateOnly: request.validate_only,
    sort: sort ?? (dates.length > 0 ? byDate : byFirst),
    ...(compare === undefined ? {} : { compare }),
  };
}
