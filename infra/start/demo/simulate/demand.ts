import { dayNumber } from '../../../../shared/lib/calendar.ts';
import type { Commodity } from '../data/taxonomy.ts';
import { dayOfYear, weekdayOf } from './days.ts';

/** Visits per hour of the day, in percent: they rise before lunch and peak in the evening, when households plan their groceries. */
const HOURS = [
  0.9, 0.5, 0.3, 0.2, 0.3, 0.7, 1.7, 3.1, 4.2, 4.9, 5.4, 5.6, 5.5, 5.0, 4.8, 5.1, 5.9, 6.8, 7.6, 8.3, 8.1, 7.0, 5.0,
  3.1,
];
const HOURS_TOTAL = HOURS.reduce((sum, share) => sum + share, 0);

/** Traffic from Sunday to Saturday, relative to the average day. */
const WEEKDAYS = [1.32, 0.98, 0.84, 0.86, 0.96, 1.0, 1.04];

/** @param hour 0–23 @returns the share of a day's traffic that falls in the hour; the shares of the 24 hours add up to 1 */
export function hourShare(hour: number): number {
  return (HOURS[hour] ?? 0) / HOURS_TOTAL;
}

/** @returns the day's traffic relative to the average day of a week */
export function weekdayFactor(day: string): number {
  return WEEKDAYS[weekdayOf(day)] ?? 1;
}

/** @returns the demand for the commodity relative to the year's average: a wave whose maximum is in the middle of the peak month */
export function seasonFactor(commodity: Commodity, day: string): number {
  const peak = (commodity.peakMonth - 0.5) * 30.4;
  return 1 + 0.28 * Math.cos(((dayOfYear(day) - peak) / 365) * 2 * Math.PI);
}

/** @returns whether the commodity is in the weekly ad, which it is in one week of five; which one depends on the length of its name, so that commodities differ */
export function isPromoted(commodity: Commodity, day: string): boolean {
  const week = Math.floor(dayNumber(day) / 7);
  return (week + commodity.name.length) % 5 === 0;
}
