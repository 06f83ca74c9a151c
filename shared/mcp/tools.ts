import type * as z from 'zod';
import { EXPERIENCES } from '../../../../shared/catalog/tables.ts';
import { quoteText } from '../../../../shared/lib/quote-text.ts';
import {
  type Client,
  EndcapError,
  type Experience,
  type FieldCatalogue,
} from '../../../../shared/web/client/client.ts';
import { FieldNames, mentions } from '../query/field-names.ts';
import { describeBasis, unitOf } from './describe-result.ts';
import type { describeFieldsInput, suggestValuesInput } from './inputs.ts';
import { fitLines } from './limit-result.ts';

/** Accounts, advertisers of an account, or values in a result. */
export const MAX_LISTED = 50;

/** @returns up to MAX_LISTED accounts with up to MAX_LISTED advertisers each, the last complete day of each experience, currency and time zone */
export async function listAccess(client: Client): Promise<string[]> {
  const userType = await readUserType(client);
  const page = await client.accounts().page({ size: MAX_LISTED });
  const accounts = await Promise.all(
    page.data.map(async ({ id, name }) => {
      const { data, meta } = await client.advertisers(id).page({ size: MAX_LISTED });
      return { id, name, advertisers: data, total: meta.page.total };
    }),
  );
  const days = await Promise.all(EXPERIENCES.map((experience) => lastCompleteDay(client, experience)));
  const { timezone, currency } = (await client.fields()).meta;
  const lines = accounts.map(({ id, name, advertisers, total }) => {
    const more = total > advertisers.length ? `, and ${total - advertisers.length} more` : '';
    const listed = advertisers.map((advertiser) => `${advertiser.id} ${quoteText(advertiser.name)}`);
    return `- account ${id} ${quoteText(name)}: advertisers ${listed.join(', ')}${more}`;
  });
  const { total } = page.meta.page;
  const role = userType === undefined ? '' : ` as ${userType === 'CPG' ? 'a brand (CPG)' : 'an agency'}`;
  return fitLines(lines.length, (count) => [
    `You may see ${countOf(total, 'account')}${role}:`,
    ...lines.slice(0, count),
    ...(total > count
      ? [`- and ${countOf(total - count, 'more account')}; suggest_values finds advertisers by name`]
      : []),
    `Data is complete through: ${EXPERIENCES.map((name, index) => `${name} ${days[index] ?? 'no data'}`).join(', ')}.`,
    `Amounts are in ${currency}; days and hours are those of ${timezone}.`,
  ]);
}

/** @returns undefined if the key's operations do not include tokens */
async function readUserType(client: Client): Promise<'AGENCY' | 'CPG' | undefined> {
  try {
    return (await client.claims()).userType;
  } catch (error) {
    if (error instanceof EndcapError && error.code === 'SCOPE_FORBIDDEN') return undefined;
    throw error;
  }
}

/** @returns the last day with complete data in the experience; null if it has no data */
async function lastCompleteDay(client: Client, experience: Experience): Promise<string | null> {
  const query = { startDate: 'latest', endDate: 'latest', metrics: ['impressions'] } as const;
  const { meta } = await client.report(experience, query, { size: 1 });
  return meta.dataCompleteThrough;
}

const countOf = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`;

/** @returns the fields with these names and this text, with their units, values and rules; without both, all names by group. @throws Error for names that do not exist */
export async function describeFields(
  client: Client,
  { search, names }: z.output<typeof describeFieldsInput>,
): Promise<string[]> {
  const { data, meta } = await client.fields();
  if (names.length === 0 && search === undefined) return listNames(data);
  const named = new Set<string>(new FieldNames(data).fields(names));
  const fields = [...data.metrics, ...data.dimensions].filter((field) => {
    return (names.length === 0 || named.has(field.name)) && mentions(field, search ?? '');
  });
  const rules = data.rules.filter((rule) => rule.fields.some((name) => fields.some((field) => field.name === name)));
  const lines = fields.map((field) => {
    const kind = 'kind' in field ? `metric of kind ${field.kind}` : 'dimension';
    const values = field.values === undefined ? '' : ` Values: ${field.values.join(', ')}.`;
    return `- ${field.name} (${kind}, ${unitOf(field, meta.currency)}): ${field.description}${values}`;
  });
  const ruleLines = rules.map((rule) => {
    const affected = rule.fields.filter((name) => fields.some((field) => field.name === name)).join(', ');
    const by = rule.dimensions.length === 0 ? '' : ` by ${rule.dimensions.join(', ')}`;
    const where = rule.experiences.length === EXPERIENCES.length ? '' : ` in ${rule.experiences.join(', ')}`;
    return `- ${affected}: null${rule.effect === 'null' ? '' : ' in some rows'}${where}${by}. ${rule.reason}`;
  });
  return [
    fields.length === 0
      ? `${names.length === 0 ? 'No field' : 'None of these fields'} has "${search}" in its name, title, group, description or aliases.`
      : 'Fields:',
    ...lines,
    ...(ruleLines.length > 0
      ? [
          'These fields have no value in these cases (“by” lists dimensions: grouped or filtered by any of them):',
          ...ruleLines,
        ]
      : []),
  ];
}

function listNames({ metrics, dimensions, operators }: FieldCatalogue['data']): string[] {
  const groups = (fields: readonly { readonly name: string; readonly group: string }[]) =>
    [...Map.groupBy(fields, ({ group }) => group)].map(
      ([group, members]) => `- ${group}: ${members.map(({ name }) => name).join(', ')}`,
    );
  return [
    'Metrics by group:',
    ...groups(metrics),
    'Dimensions by group:',
    ...groups(dimensions),
    `Filter operators: ${operators.map(({ name }) => name).join(', ')}.`,
    'Call again with names or a search for units, meanings and rules.',
  ];
}

/** Values are ordered by impressions, or by transactions where purchases have no impressions. */
const FREQUENCIES = ['impressions', 'halo_exposed_transactions'] as const;

/** @returns up to MAX_LISTED values of the dimension, the most frequent first. @throws Error if there is no such dimension, or it has no values in the experience */
export async function suggestValues(client: Client, request: z.output<typeof suggestValuesInput>): Promise<string[]> {
  const { experience, contains } = request;
  const { dimensions } = (await client.fields()).data;
  const dimension = new FieldNames({ metrics: [], dimensions }).dimension(request.dimension);
  const experiences = dimensions.find(({ name }) => name === dimension)?.experiences ?? [];
  if (experience !== 'all' && !experiences.includes(experience))
    throw new Error(`${dimension} has no values in ${experience}; it has values in ${experiences.join(' and ')}`);
  const query = {
    startDate: request.start_date,
    endDate: request.end_date,
    dimensions: [dimension],
    metrics: FREQUENCIES,
    sort: FREQUENCIES.map((field) => ({ field, order: 'DESC' as const })),
    filters: [
      { field: dimension, operator: 'NOT_NULL' as const },
      ...(contains === undefined ? [] : [{ field: dimension, operator: 'CONTAINS' as const, values: [contains] }]),
    ],
  };
  const { data, totalCount, meta } = await client.report(experience, query, { size: MAX_LISTED });
  const days = `${meta.period.startDate} to ${meta.period.endDate}`;
  return fitLines(data.length, (count) => [
    `${countOf(totalCount, 'value')} of ${dimension} in ${experience}, ${days}, the most frequent first:`,
    ...data.slice(0, count).map((row) => `- ${quoteValue(row[dimension])}`),
    ...(totalCount > count ? [`and ${totalCount - count} more; use contains to narrow the list`] : []),
    describeBasis(meta),
  ]);
}

const quoteValue = (value: string | number | null | undefined) =>
  typeof value === 'string' ? quoteText(value) : value;
