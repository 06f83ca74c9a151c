import { dayNumber, formatDay } from '../../../../shared/lib/calendar.ts';
import { type Commodity, WEEKDAYS } from '../data/network.ts';
import type { LiveAdGroup } from './delivery.ts';

/** @returns the day `count` days after `day`, both `YYYY-MM-DD` */
export function addDays(day: string, count: number): string {
  return formatDay(dayNumber(day) + count);
}

/** @returns the demand of a day for an ad group, relative to its average day: by weekday, season and promotion */
export function demandOf({ commodity, plan, part }: LiveAdGroup, day: string): number {
  const weekday = (dayNumber(day) + 4) % 7; // day 0 was a Thursday
  const dayOfYear = dayNumber(day) - dayNumber(`${day.slice(0, 4)}-01-01`) + 1;
  const peak = (commodity.peakMonth - 0.5) * 30.4;
  const season = 1 + 0.28 * Math.cos(((dayOfYear - peak) / 365) * 2 * Math.PI);
  const offWeekend = plan.theme.includes('Weekend') && ![0, 5, 6].includes(weekday) ? 0.4 : 1;
  // A schedule of n < 24 hours has 20 / n times as many deliveries per hour.
  const [from = 0, to = 24] = part.hours;
  const density = to - from === 24 ? 1 : 20 / (to - from);
  return (WEEKDAYS[weekday] ?? 1) * season * density * offWeekend * (isPromoted(commodity, day) ? 1.45 : 1);
}

/** @returns whether the commodity is in the weekly ad, which it is in one week of five; which one depends on the length of its name, so that commodities differ */
export function isPromoted(commodity: Commodity, day: string): boolean {
  const week = Math.floor(dayNumber(day) / 7);
  return (week + commodity.name.length) % 5 === 0;
}
