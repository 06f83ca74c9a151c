import { type DimensionName, dimensionOf, isDimension } from '../../catalog/dimensions.ts';
import { type MetricName, metricOf } from '../../catalog/metrics.ts';
import type { WarningCode } from '../../catalog/warnings.ts';
import { daysOfRanges, rangesOf } from '../../layout/day-ranges.ts';
import { DAY_MS, dayNumber, formatDay } from '../../lib/calendar.ts';
import { quoteText } from '../../lib/quote-text.ts';
import type { AdvertiserName } from '../plan/joins.ts';
import { MAX_LISTED_DAYS, type ReportWarning } from '../query/query.ts';

/** The maximum number of values, things or ranges of days that a text names. */
export const MAX_NAMED = 5;

/** A part of a warning as programs read it (`detail`: names of fields, ids, ISO 8601) and as people do (`message`: titles, names, ranges of days). */
export interface Phrase extends Pick<ReportWarning, 'detail' | 'message'> {
  readonly dates?: ReportWarning['dates'];
  readonly things?: ReportWarning['things'];
}

/**
 * Makes every warning of a report. The text is written once, with a phrase for whatever programs and people read differently; the warning's `dates` and
 * `things` are those of its phrases. A new warning needs a code in `shared/catalog/warnings.ts`, a call of this function in a file of this folder, and a row of a case file.
 * @param fields what the warning is about: first the one that `field` names, daily_date for days, then the metrics that are affected
 * @param drop the dimensions to remove to avoid it
 * @example warn('TABLE_LACKS_DAYS', ['daily_date', 'cost'], text`No advertiser has rows on ${days(dates)}: missing in ${titles(['cost'])}.`)
 */
export function warn(
  code: WarningCode,
  fields: readonly [ReportWarning['field'], ...ReportWarning['field'][]],
  { message, dates = [], things = [], detail }: Phrase,
  drop: ReportWarning['drop'] = [],
): ReportWarning {
  const ranges = rangesOf(daysOfRanges(dates.map(({ from, to }) => [dayNumber(from), dayNumber(to)])));
  const listed = ranges.slice(0, MAX_LISTED_DAYS).map(([from, to]) => ({ from: formatDay(from), to: formatDay(to) }));
  const named = things.slice(0, MAX_LISTED_DAYS);
  return { code, message, fields, dates: listed, things: named, field: fields[0], detail, drop };
}

/** @returns one warning for all fields with the same cause */
export function warnAlike<Cause>(
  causes: Iterable<readonly [MetricName, Cause]>,
  describe: (fields: readonly [MetricName, ...MetricName[]], cause: Cause) => ReportWarning,
): ReportWarning[] {
  const alike = Map.groupBy(causes, ([, cause]) => JSON.stringify(cause));
  return [...alike.values()].flatMap(([first, ...others]) =>
    first === undefined ? [] : describe([first[0], ...others.map(([field]) => field)], first[1]),
  );
}

/** A tag of template strings. @returns the text with its phrases */
export function text(strings: TemplateStringsArray, ...parts: readonly (string | number | Phrase)[]): Phrase {
  const phrases = parts.map((part): Phrase => {
    return typeof part === 'object' ? part : { detail: String(part), message: String(part) };
  });
  const join = (read: (phrase: Phrase) => string) => String.raw({ raw: strings }, ...phrases.map(read));
  return {
    ...{ detail: join(({ detail }) => detail), message: join(({ message }) => message) },
    dates: phrases.flatMap(({ dates = [] }) => dates),
    things: phrases.flatMap(({ things = [] }) => things),
  };
}

/** @returns the first phrases of a list, and how many more there are */
export function list(phrases: readonly Phrase[], max = phrases.length, separator = ', '): Phrase {
  const [first = text``, ...others] = phrases.slice(0, max);
  const more = phrases.length > max ? ` and ${phrases.length - max} more` : '';
  return text`${others.reduce((before, phrase) => text`${before}${separator}${phrase}`, first)}${more}`;
}

/** @returns the names of fields; for people their titles */
export function titles(fields: readonly (MetricName | DimensionName)[]): Phrase {
  return list(fields.map((field) => ({ detail: field, message: titleOf(field) })));
}

export function titleOf(field: MetricName | DimensionName): string {
  return (isDimension(field) ? dimensionOf(field) : metricOf(field)).title;
}

/** @param dates ascending days that the warning is about, `YYYY-MM-DD` @returns the days, for people as ranges: `Oct 4 – 14, 2025` */
export function days(dates: readonly string[]): Phrase {
  const { detail } = list(
    dates.map((day) => text`${day}`),
    MAX_LISTED_DAYS,
  );
  const ranges = rangesOf(dates.map(dayNumber)).map(([from, to]) => period(formatDay(from), formatDay(to)));
  return { detail, message: list(ranges, MAX_NAMED, '; ').message, dates: ranges.flatMap(({ dates = [] }) => dates) };
}

/** @returns a date that is not what the warning is about, such as the last day with data */
export function date(day: string): Phrase {
  return { ...period(day, day), detail: day, dates: [] };
}

/** @returns all days from the first to the last, `YYYY-MM-DD` */
export function period(from: string, to: string): Phrase {
  const message = DATES.formatRange(dayNumber(from) * DAY_MS, dayNumber(to) * DAY_MS).replaceAll('\u2009', ' ');
  return { detail: `${from} to ${to}`, message, dates: [{ from, to }] };
}

const DATES = new Intl.DateTimeFormat('en-US', { year: 'numeric', month: 'short', day: 'numeric', timeZone: 'UTC' });

/**
 * @param kind such as `ad group`
 * @param name null where there is none
 * @returns the thing by its kind and id, for people by its name, too: `ad group 7 "Spring Sale"`
 */
export function thing(kind: string, id: string | number, name: string | number | null): Phrase {
  const detail = `${kind} ${id}`;
  const things = [{ id, name: String(name ?? id) }];
  return { detail, message: name === null ? detail : `${detail} ${quoteText(String(name))}`, things };
}

export function advertisers(ids: readonly number[], nameOf: AdvertiserName = () => null): Phrase {
  return list(
    ids.map((id) => thing('advertiser', id, nameOf(id))),
    MAX_NAMED,
  );
}

/** @param currency an ISO 4217 code @returns the amount; for people with the currency */
export function money(amount: number, currency: string): Phrase {
  const options = { style: 'currency', currency, maximumFractionDigits: 6 } as const;
  return { detail: String(amount), message: amount.toLocaleString('en-US', options) };
}
