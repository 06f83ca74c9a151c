import { MAX_REPORT_DAYS } from '../../../contract/report/report-limits.ts';
import { dayNumber, formatDay } from '../../../lib/calendar.ts';
import type { Api, ReportPage } from '../app/api.ts';
import type { Result } from '../app/use-result.ts';
import { type Catalogue, experienceTitle } from '../question/catalogue.ts';
import { DAY } from '../question/compare-rows.ts';
import type { Formatter } from '../question/format.ts';
import type { FieldFilter, ReportRequest } from '../question/question.ts';

/** Values of texts that are named. */
const MAX_NAMED = 5;

interface Explained {
  readonly result: Result;
  readonly catalogue: Catalogue;
  readonly format: Formatter;
  /** @returns the first `size` rows of a report */
  readonly ask: (request: ReportRequest, size: number) => Promise<ReportPage>;
}

/**
 * @param result without rows
 * @returns which period or filter emptied the report, with the days or values that exist. Each request reads the report
 * without some of its filters
 * @throws EndcapError
 */
export async function explainEmpty(
  api: Pick<Api, 'report'>,
  { signal, ...input }: Omit<Explained, 'ask'> & { readonly signal: AbortSignal },
): Promise<string> {
  const { result, format } = input;
  const { meta } = result.page;
  const { request } = result;
  const { experience } = result.question;
  const { from, through } = meta.data;
  const title = experienceTitle(experience);
  const period = format.range(request.startDate, request.endDate);
  if (from === null || through === null) return `There is no data in ${title}.`;
  if (request.endDate < from || request.startDate > through)
    return `There is no data in ${period}. ${title} has data in ${format.range(from, through)}.`;
  const ask: Explained['ask'] = (asked, size) => api.report(experience, asked, { offset: 0, size, signal });
  const explained = { ...input, ask };
  const warned = new Set(meta.warnings.map(({ field }) => field));
  const isWarned = ({ field }: FieldFilter) => warned.has(field);
  const filters = [...request.filters.filter(isWarned), ...request.filters.filter((filter) => !isWarned(filter))];
  const index = await findEmptying(filters, explained);
  const filter = filters[index];
  if (filter !== undefined) return explainFilter(filter, filters.slice(0, index), explained);
  const first = formatDay(Math.max(dayNumber(from), dayNumber(through) - MAX_REPORT_DAYS + 1));
  const all = { ...request, startDate: first, endDate: through, dimensions: [DAY], filters: [], sort: ascending(DAY) };
  const { data } = await ask(all, MAX_REPORT_DAYS);
  const [firstRow, lastRow] = [data[0], data.at(-1)];
  if (firstRow === undefined || lastRow === undefined) return `These advertisers have no such data in ${title}.`;
  const days = format.range(String(firstRow[DAY]), String(lastRow[DAY]));
  return `These advertisers have no such data in ${period}, but in ${days}.`;
}

/**
 * @returns the index of the first filter that, with those before it, leaves no row; -1 if there are none without
 * filters
 */
async function findEmptying(filters: readonly FieldFilter[], { ask, result }: Explained): Promise<number> {
  for (let count = 0; count < filters.length; count++) {
    const { totalCount } = await ask({ ...result.request, filters: filters.slice(0, count) }, 1);
    if (totalCount === 0) return count - 1;
  }
  return filters.length - 1;
}

/** @param before the filters that leave rows, among which the filter finds none */
async function explainFilter(
  filter: FieldFilter,
  before: readonly FieldFilter[],
  { ask, result, catalogue, format }: Explained,
): Promise<string> {
  const { request } = result;
  const { field: name } = filter;
  const start = `The filter by ${catalogue.titleOf(name)} leaves no row.`;
  const those = before.length === 0 ? 'Its values are' : 'With the other filters, its values are';
  const metric = catalogue.metric(name);
  if (metric?.type === 'text')
    return metric.values === undefined ? start : `${start} ${those} ${listSome(metric.values)}.`;
  const ofFacts = before.filter(({ field }) => catalogue.dimension(field) !== undefined);
  const values =
    metric === undefined
      ? { ...request, metrics: [], dimensions: [name], filters: ofFacts }
      : { ...request, metrics: [...new Set([...request.metrics, name])], filters: before };
  const lowest = await ask({ ...values, sort: ascending(name) }, MAX_NAMED);
  const header = lowest.headers.find((column) => column.name === name);
  const [least] = lowest.data;
  if (header === undefined || least?.[name] === null) return `${start} It has no value in this report.`;
  if (header.type === 'text') {
    const texts = lowest.data.flatMap((row) => row[name] ?? []);
    return `${start} ${those} ${listSome(texts, lowest.totalCount)}.`;
  }
  const highest = await ask({ ...values, sort: descending(name) }, 1);
  const [low, high] = [least, highest.data[0]].map((row) => format.value(header, row?.[name]));
  return `${start} ${those} ${low} to ${high}.`;
}

function listSome(values: readonly (string | number)[], count = values.length): string {
  const named = values.slice(0, MAX_NAMED);
  const more = count - named.length;
  return `${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

function ascending(field: string): ReportRequest['sort'] {
  return [{ field, order: 'ASC' }];
}

function descending(field: string): ReportRequest['sort'] {
  return [{ field, order: 'DESC' }];
}
