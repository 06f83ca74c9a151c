import { didYouMean } from '../catalog/describe/suggest.ts';
import { EXPERIENCES } from '../catalog/tables.ts';
import { MAX_PAGE_SIZE } from '../contract/report/report-limits.ts';
import { findClosest } from '../lib/closest-name.ts';
import { quoteText } from '../lib/quote-text.ts';
import type { Page } from '../web/client/listing.ts';
import type { Account, Advertiser, FieldCatalogue } from '../web/client/schema.ts';
import type { Texts } from './arguments.ts';
import type { CallApi } from './call-api.ts';
import { describeBasis, unitOf } from './describe-result.ts';
import { fitLines } from './limit-result.ts';
import { requestReport } from './request-report.ts';

/** Accounts, advertisers of an account, or values in a result. */
export const MAX_LISTED = 50;

/** @returns up to MAX_LISTED accounts with up to MAX_LISTED advertisers each, the days of each experience, currency and time zone */
export async function listAccess(call: CallApi): Promise<string[]> {
  const page = await call<Page<Account>>(`/metadata/accounts?size=${MAX_LISTED}`);
  const accounts = await Promise.all(
    page.data.map(async ({ id, name }) => {
      const path = `/metadata/advertisers?account_id=${id}&size=${MAX_LISTED}`;
      const { data, meta } = await call<Page<Advertiser>>(path);
      return { id, name, advertisers: data, total: meta.page.total };
    }),
  );
  const { timezone, currency, days } = (await call<FieldCatalogue>('/metadata/fields')).meta;
  const lines = accounts.map(({ id, name, advertisers, total }) => {
    const more = total > advertisers.length ? `, and ${total - advertisers.length} more` : '';
    const listed = advertisers.map((advertiser) => `${advertiser.id} ${quoteText(advertiser.name)}`);
    return `- account ${id} ${quoteText(name)}: advertisers ${listed.join(', ')}${more}`;
  });
  const { total } = page.meta.page;
  return fitLines(lines.length, (count) => [
    `You may see ${countOf(total, 'account')}:`,
    ...lines.slice(0, count),
    ...(total > count
      ? [`- and ${countOf(total - count, 'more account')}; suggest_values finds advertisers by name`]
      : []),
    ...EXPERIENCES.map((name) => {
      const { from, completeThrough } = days[name] ?? {};
      return `- ${name}: ${from === undefined ? 'your advertisers have no data' : `data from ${from}, complete through ${completeThrough ?? 'no day yet'}`}`;
    }),
    `Amounts are in ${currency}; days and hours are those of ${timezone}.`,
  ]);
}

const countOf = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`;

/** @returns the fields with these names and this text, with their units, values and rules; without both, all names by group. @throws Error for names that do not exist */
export async function describeFields(
  call: CallApi,
  { search: searched = [], names: texts = [] }: Texts,
): Promise<string[]> {
  const [search] = searched;
  const { data, meta } = await call<FieldCatalogue>('/metadata/fields');
  const names = texts.flatMap((text) => text.split(',').map((name) => name.trim()));
  if (names.length === 0 && search === undefined) return listNames(data);
  const named = new Set(names);
  const existing = [...data.metrics, ...data.dimensions].map(({ name }) => name);
  const unknown = [...named.difference(new Set(existing))];
  if (unknown.length > 0)
    throw new Error(unknown.map((name) => `there is no field ${name}${didYouMean(name, existing)}`).join('\n'));
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

/** @returns whether the text is in the field's name, title, group, description or another word for it, ignoring case */
function mentions(field: FieldCatalogue['data']['metrics' | 'dimensions'][number], text: string): boolean {
  const { name, title, group, description, aliases } = field;
  return [name, title, group, description, ...aliases].some((part) => part.toLowerCase().includes(text.toLowerCase()));
}

/** Values are ordered by impressions, or by transactions where purchases have no impressions. */
const FREQUENCIES = ['impressions', 'halo_exposed_transactions'];

/** @returns up to MAX_LISTED values of the dimension, the most frequent first; if none has the text, values like it. @throws Error that says what to correct */
export async function suggestValues(call: CallApi, texts: Texts): Promise<string[]> {
  const { dimension: [dimension = ''] = [], contains: [contains] = [] } = texts;
  const request = (size: number, ...filter: readonly string[]) => {
    const of = {
      by: [dimension.replaceAll(',', ' ')], // one field
      metrics: FREQUENCIES,
      sort: FREQUENCIES.map((field) => `-${field}`),
      size: [`${size}`],
    };
    return requestReport(call, {
      given: texts,
      sent: { ...texts, ...of, filter: /^\w+$/.test(dimension) ? [`${dimension}!=null`, ...filter] : [] },
      names: { by: 'dimension' },
    });
  };
  const text = `${dimension} CONTAINS "${contains?.replaceAll('"', '""')}"`;
  const { experience, report } = await request(MAX_LISTED, ...(contains === undefined ? [] : [text]));
  const { data, totalCount, meta } = report;
  const valuesOf = ({ data: rows }: typeof report) => rows.map((row) => Object(row)[dimension]);
  const days = `${meta.period.startDate} to ${meta.period.endDate}`;
  const values = (count: number) => `${countOf(count, 'value')} of ${dimension} in ${experience}, ${days}`;
  if (data.length === 0) {
    const near = contains === undefined ? [] : findLike(contains, valuesOf((await request(MAX_PAGE_SIZE)).report));
    return [
      `${values(0)}${contains === undefined ? '' : ` with ${quoteText(contains)}`}.`,
      ...(near.length > 0
        ? [`Did you mean ${near.map(quoteText).join(', ')}?`]
        : meta.warnings.map(({ message }) => message)),
    ];
  }
  return fitLines(data.length, (count) => [
    `${values(totalCount)}, the most frequent first:`,
    ...valuesOf(report)
      .slice(0, count)
      .map((value) => `- ${typeof value === 'string' ? quoteText(value) : value}`),
    ...(totalCount > count ? [`and ${totalCount - count} more; use contains to narrow the list`] : []),
    describeBasis(meta),
  ]);
}

/** @returns the first values that are, or have a word, like the text */
function findLike(text: string, values: readonly unknown[]): string[] {
  const isLike = (value: string) => findClosest(text.toLowerCase(), [value, ...value.split(/\s+/)]) !== undefined;
  return values.map(String).filter(isLike).slice(0, 5);
}
