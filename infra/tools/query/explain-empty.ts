import type {
  Client,
  Compare,
  Dimension,
  Experience,
  Filter,
  Metric,
  ReportQuery,
} from '../../../shared/web/client/client.ts';
import { FieldNames } from './field-names.ts';

type Query = ReportQuery<Metric, Dimension, Compare | undefined>;

/**
 * Requests the report without its filters and, if that has rows, with each of them alone.
 * @param texts the filters as the caller wrote them, in the order of the query
 * @returns why the report has no rows: that there is no data, which of these filters leave no row by themselves, or that no row passes all of them
 */
export async function explainEmpty(
  client: Client,
  experience: Experience,
  query: Query,
  texts: readonly string[],
): Promise<string[]> {
  const { filters = [], startDate, endDate } = query;
  const count = async (some: readonly Filter[]) =>
    (await client.report(experience, { ...query, filters: some }, { size: 1 })).totalCount;
  const all = filters.length === 0 ? 0 : await count([]);
  const without = filters.length === 0 ? '' : ', not even without filters';
  if (all === 0) return [`no rows${without}: ${experience} has no data for this from ${startDate} to ${endDate}`];
  const lines: string[] = [];
  for (const [index, filter] of filters.entries()) {
    if ((await count([filter])) > 0) continue;
    const range = await rangeOf(client, experience, query, filter.field);
    lines.push(`no row passes the filter ${texts[index] ?? filter.field}${range}`);
  }
  const total = `without filters the report has ${all} ${all === 1 ? 'row' : 'rows'}`;
  return [...(lines.length > 0 ? lines : ['no row passes all filters together, but some pass each of them']), total];
}

/** @returns `: the values of cost are 1 to 9`, the range of a numeric metric without filters; '' for every other field */
async function rangeOf(client: Client, experience: Experience, query: Query, field: string): Promise<string> {
  if (!new FieldNames((await client.fields()).data).isMetric(field)) return '';
  const metrics = [...new Set([...(query.metrics ?? []), field])];
  const valueAt = async (order: 'ASC' | 'DESC') => {
    const sorted = { ...query, metrics, filters: [], sort: [{ field, order }] };
    const { data } = await client.report(experience, sorted, { size: 1 });
    return data[0]?.[field];
  };
  const [low, high] = [await valueAt('ASC'), await valueAt('DESC')];
  return typeof low === 'number' && typeof high === 'number' ? `: the values of ${field} are ${low} to ${high}` : '';
}
