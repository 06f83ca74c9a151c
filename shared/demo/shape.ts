import { dayOfYear, weekdayOf } from './calendar.ts';
import type { Commodity } from './shelf.ts';

/** Share of a day's visits by hour: a rise before lunch and a peak when the week's groceries are planned in the evening. */
const HOURS = [
  0.9, 0.5, 0.3, 0.2, 0.3, 0.7, 1.7, 3.1, 4.2, 4.9, 5.4, 5.6, 5.5, 5.0, 4.8, 5.1, 5.9, 6.8, 7.6, 8.3, 8.1, 7.0, 5.0,
  3.1,
];
const HOURS_TOTAL = HOURS.reduce((sum, share) => sum + share, 0);

/** Sunday … Saturday, against the average day. */
const WEEKDAYS = [1.32, 0.98, 0.84, 0.86, 0.96, 1.0, 1.04];

/** @returns the part of a day's traffic that falls in the hour; the hours of a day add up to 1. */
export function hourShare(hour: number): number {
  return (HOURS[hour] ?? 0) / HOURS_TOTAL;
}

/** @returns traffic of the day against an average one: 1 on average over weeks. */
export function weekdayFactor(day: string): number {
  return WEEKDAYS[weekdayOf(day)] ?? 1;
}

/** @returns demand for the commodity on the day: a wave around 1 that is highest in the middle of its peak month. */
export function seasonFactor(commodity: Commodity, day: string): number {
  const peak = (commodity.peakMonth - 0.5) * 30.4;
  return 1 + 0.28 * Math.cos(((dayOfYear(day) - peak) / 365) * 2 * Math.PI);
}

/** @returns whether the commodity is in the weekly ad, which runs for seven days in every five weeks. */
export function isPromoted(commodity: Commodity, day: string): boolean {
  const week = Math.floor(Date.parse(`${day}T00:00:00Z`) / 86_400_000 / 7);
  return (week + commodity.name.length) % 5 === 0;
}
