import { DAY_MS } from '../../lib/calendar.ts';

export const HOUR_MS = DAY_MS / 24;

/** The days and hours of an IANA time zone. Days are day numbers, instants milliseconds since 1970. */
export class TimeZone {
  readonly name: string;
  readonly #format: Intl.DateTimeFormat;
  readonly #skipped = new Map<number, readonly number[]>();

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

  /** @returns whether a day begins at the instant; most days begin at midnight, some after clocks have skipped it */
  isStartOfDay(instant: number): boolean {
    return this.dayOf(instant) !== this.dayOf(instant - 1);
  }

  /** @returns the hours that clocks skip on the day */
  skippedHours(day: number): readonly number[] {
    const skipped = this.#skipped.get(day) ?? this.#findHours(day, (times) => Math.max(...times) === 0);
    this.#skipped.set(day, skipped);
    return skipped;
  }

  /** @returns the hours that the day has twice, or a part of which */
  repeatedHours(day: number): readonly number[] {
    return this.#findHours(day, (times) => times.includes(2));
  }

  /** @param is is called with the number of times that the day has each quarter of an hour */
  #findHours(day: number, is: (times: readonly number[]) => boolean): readonly number[] {
    const midnight = day * DAY_MS; // in UTC
    const offsets = [midnight - DAY_MS, midnight + 2 * DAY_MS].map((instant) => this.localTime(instant) - instant);
    if (offsets[0] === offsets[1]) return []; // clocks do not change
    const timesOf = (local: number) => offsets.filter((offset) => this.localTime(local - offset) === local).length;
    const quarters = [0, 1, 2, 3].map((quarter) => (quarter * HOUR_MS) / 4);
    return Array.from({ length: 24 }, (_, hour) => hour).filter((hour) =>
      is(quarters.map((quarter) => timesOf(midnight + hour * HOUR_MS + quarter))),
    );
  }
}
