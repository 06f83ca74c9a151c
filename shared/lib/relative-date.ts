import { addMonths, monthOf, parseDate, quarterOf, type Weekday, weekOf, yearOf } from './calendar.ts';

/** What relative dates depend on. */
export interface Calendar {
  /** In the platform's time zone, as a day number. */
  readonly today: number;
  readonly weekStartsOn: Weekday;
  /** The last complete day of the data, as a day number; later than yesterday or absent = yesterday. Only dates for which `dependsOnData` holds need it. */
  readonly latest?: number | undefined;
}

/** What a date may be, as messages put it. */
export const DATE_FORMS =
  'an existing date in the format YYYY-MM-DD, or a relative one: today, yesterday, latest (the last complete day), startOfWeek, endOfWeek, startOfLatestWeek, ' +
  'endOfLatestWeek, startOfCompleteWeek, endOfCompleteWeek (the last week that latest completes), or the same of Month, Quarter and Year, ' +
  'with or without an offset in d, w, m or y, such as today-28d, startOfMonth-1m or endOfWeek+1w';

const OFFSET = '[+-][1-9]\\d{0,2}[dwmy]';
const RELATIVE = `(?:(today|yesterday|latest)|(start|end)Of(Latest|Complete)?(Week|Month|Quarter|Year))(${OFFSET})?`;
const PARTS = new RegExp(`^${RELATIVE}$`);
/** The form of all dates. Some of them do not exist, such as February 30. */
export const DATE_PATTERN = `^(?:\\d{4}-\\d{2}-\\d{2}|${RELATIVE})$`;

const PERIODS = {
  Week: { startOf: weekOf, length: '+1w' },
  Month: { startOf: monthOf, length: '+1m' },
  Quarter: { startOf: quarterOf, length: '+3m' },
  Year: { startOf: yearOf, length: '+1y' },
} as const satisfies Readonly<Record<string, { startOf: (day: number, startsOn: Weekday) => number; length: string }>>;

/** The relative dates without an offset. */
export const RELATIVE_DATES: readonly string[] = [
  'today',
  'yesterday',
  'latest',
  ...['', 'Latest', 'Complete'].flatMap((anchor) =>
    ['start', 'end'].flatMap((edge) => Object.keys(PERIODS).map((period) => `${edge}Of${anchor}${period}`)),
  ),
];

/** @returns whether the date depends on the last complete day: `latest-27d`, `startOfLatestMonth`, `endOfCompleteWeek` */
export function dependsOnData(text: string): boolean {
  return /latest|complete/i.test(text);
}

/** @returns whether the text is a relative date, such as `startOfMonth-1m`, or an existing date */
export function isDate(text: string): boolean {
  return PARTS.test(text) || parseDate(text) !== undefined;
}

/**
 * @param text `YYYY-MM-DD` or a relative date. An offset in months or years moves the first day of a period, and an end is that of the period which this day is then in: `endOfMonth-1m` is the last day of a month of any length, `endOfQuarter-1m` that of a quarter
 * @returns the day number
 * @throws RangeError that names the forms of dates, if the text is none
 * @example resolveDate('startOfMonth-1m', { today: dayNumber('2026-03-31'), weekStartsOn: 'Monday' }) // 2026-02-01
 */
export function resolveDate(text: string, { today, weekStartsOn, ...of }: Calendar): number {
  const latest = Math.min(of.latest ?? today, today - 1);
  const parts = PARTS.exec(text);
  if (parts === null) {
    const existing = parseDate(text);
    if (existing === undefined) throw new RangeError(`${text} is not a date; it must be ${DATE_FORMS}`);
    return existing;
  }
  const [, day, edge, anchor, name, offset = '+0d'] = parts;
  if (day !== undefined) return addOffset({ today, yesterday: today - 1, latest }[day] ?? latest, offset);
  const { startOf, length } = PERIODS[name as keyof typeof PERIODS]; // the pattern has no other
  // the last complete week is the one before that of the day after `latest`
  const within = anchor === 'Complete' ? startOf(latest + 1, weekStartsOn) - 1 : anchor === 'Latest' ? latest : today;
  const start = startOf(within, weekStartsOn);
  const moved = addOffset(start, offset);
  if (edge === 'start') return moved;
  // months may end within a week, quarter or year: that one's end
  const isWhole = /[dw]$/.test(offset);
  return isWhole ? addOffset(start, length) + moved - start - 1 : addOffset(startOf(moved, weekStartsOn), length) - 1;
}

/** @param offset such as `-28d`, `+4w`, `-3m` or `+1y` @returns the day that is so much later, or earlier */
export function addOffset(day: number, offset: string): number {
  const count = Number(offset.slice(0, -1));
  switch (offset.at(-1)) {
    case 'w':
      return day + 7 * count;
    case 'm':
      return addMonths(day, count);
    case 'y':
      return addMonths(day, 12 * count);
    default:
      return day + count;
  }
}
