import { quoteText } from '../lib/quote-text.ts';
import type { ReportHeader, ReportMeta } from '../web/client/client.ts';

/** Decimals of a figure, or below 1 its digits: ratios and plans have up to 17, which take more tokens. Counts and amounts of money have no more. */
const DIGITS = 6;
/** Ids, dates and statuses, which are fewer tokens without quotation marks. */
const ONE_WORD = /^[\w.-]+$/;

/** @returns what the figures are based on, in two sentences */
export function describeBasis({
  period,
  timezone,
  currency,
  dataCompleteThrough,
  dataFinalThrough,
  attribution,
}: ReportMeta) {
  const isIncomplete = dataCompleteThrough !== null && period.endDate > dataCompleteThrough;
  const complete =
    dataCompleteThrough === null ? 'There is no data' : `Data is complete through ${dataCompleteThrough}`;
  const note = isIncomplete ? ': the end of the period is incomplete' : '';
  const final = dataFinalThrough === null ? '' : `; figures after ${dataFinalThrough} may still change`;
  const { windowDays, basis } = attribution;
  const attributed =
    windowDays === null
      ? `purchases are attributed by experience (${basis})`
      : `purchases within ${windowDays} days of the ad, counted on the ${basis}`;
  return `${complete}${note}${final}. Days are those of ${timezone}, amounts are in ${currency}; ${attributed}.`;
}

/** @returns the unit of a field's values in words, or their type if they have none */
export function unitOf(field: { readonly type: string; readonly unit: string | null }, currency: string): string {
  if (field.unit === null) return `type ${field.type}`;
  if (field.unit === 'currency') return `unit ${currency}`;
  return `unit ${field.unit === 'fraction' ? 'fraction of 1' : field.unit}`;
}

/**
 * @returns the rows as CSV lines, with units in the header and rounded ratios. Texts are JSON strings unless they are one word; so are empty
 * texts and the text `null`, because a bare `null` is no value
 */
export function compactCsv(
  headers: readonly ReportHeader[],
  rows: readonly Readonly<Record<string, string | number | null | undefined>>[],
): string[] {
  const head = headers.map(({ name, unit }) => (unit === null ? name : `${name} [${unit}]`));
  return [head.join(','), ...rows.map((row) => headers.map(({ name }) => cell(row[name])).join(','))];
}

function cell(value: string | number | null | undefined): string {
  if (value === null || value === undefined) return 'null';
  if (typeof value === 'number')
    return String(Number(Math.abs(value) < 1 ? value.toPrecision(DIGITS) : value.toFixed(DIGITS)));
  return value !== 'null' && ONE_WORD.test(value) ? value : quoteText(value);
}
