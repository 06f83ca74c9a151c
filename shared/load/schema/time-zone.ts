import { DAY_MS } from '../../lib/calendar.ts';

const SECOND_MS = 1_000;
const HOURS = 24;
const HOUR_SECONDS = 3_600;
/** Changes of clocks since 2000 are multiples of it, and begin at multiples of it, except some at 00:01, as in St. John’s until 2011: they count as at 00:15. */
const STEP_SECONDS = 900;
/** Local time is less than this ahead of UTC or behind it. */
const MAX_OFFSET_MS = DAY_MS;

const WHOLE_HOURS: readonly number[] = Array<number>(HOURS).fill(HOUR_SECONDS);

/** The days and hours of an IANA time zone. Days are day numbers, instants milliseconds since 1970. */
export class TimeZone {
  readonly name: string;
  readonly #format: Intl.DateTimeFormat;
  readonly #hours = new Map<number, readonly number[]>();

  /** @throws RangeError if the name is not an IANA zone */
  constructor(name: string) {
    this.name = name;
    const numeric = 'numeric';
    this.#format = new Intl.DateTimeFormat('en-u-ca-gregory-nu-latn', {
      timeZone: name,
      hourCycle: 'h23',
      year: numeric,
      month: numeric,
      day: numeric,
      hour: numeric,
      minute: numeric,
      second: numeric,
    });
  }

  /** @returns the instant at which UTC has the calendar date and time of day that the zone has at `instant`, without fractions of a second */
  localTime(instant: number): number {
    const parts = new Map(this.#format.formatToParts(instant).map((part) => [part.type, Number(part.value)]));
    const part = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? 0;
    const time = Date.UTC(0, 0, 1, part('hour'), part('minute'), part('second'));
    return new Date(time).setUTCFullYear(part('year'), part('month') - 1, part('day')); // Date.UTC takes the years 0 to 99 as 1900 to 1999
  }

  /** @returns the day that the zone has at the instant */
  dayOf(instant: number): number {
    return Math.floor(this.localTime(instant) / DAY_MS);
  }

  /** @returns the day that begins at the instant, or undefined if none does; most days begin at midnight, some after clocks have skipped it */
  dayBegunAt(instant: number): number | undefined {
    if (instant % SECOND_MS !== 0) return undefined;
    const day = this.dayOf(instant);
    return day === this.dayOf(instant - SECOND_MS) ? undefined : day;
  }

  /** @returns how many seconds each hour of the day lasts, such as 0 if clocks skip it and 7,200 if they repeat it */
  secondsOfHours(day: number): readonly number[] {
    let seconds = this.#hours.get(day);
    if (seconds === undefined) {
      seconds = this.#countSeconds(day);
      this.#hours.set(day, seconds);
    }
    return seconds;
  }

  #countSeconds(day: number): readonly number[] {
    const from = day * DAY_MS - MAX_OFFSET_MS;
    const to = (day + 1) * DAY_MS + MAX_OFFSET_MS;
    if (this.localTime(from) - from === this.localTime(to) - to) return WHOLE_HOURS; // clocks do not change
    const seconds = WHOLE_HOURS.map(() => 0);
    for (let instant = from; instant < to; instant += STEP_SECONDS * SECOND_MS) {
      const local = this.localTime(instant);
      const hour = Math.floor((local - day * DAY_MS) / (HOUR_SECONDS * SECOND_MS));
      if (hour >= 0 && hour < HOURS) seconds[hour] = (seconds[hour] ?? 0) + STEP_SECONDS;
    }
    return seconds;
  }
}
