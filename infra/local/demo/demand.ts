import { dayNumber, formatDay } from '../../../shared/lib/calendar.ts';
import type { Commodity } from './data/network.ts';

/** @returns the day `count` days after `day`, both `YYYY-MM-DD` */
export function addDays(day: string, count: number): string {
  return formatDay(dayNumber(day) + count);
}

/** @returns whether the commodity is in the weekly ad, which it is in one week of five; which one depends on the length of its name, so that commodities differ */
export function isPromoted(commodity: Commodity, day: string): boolean {
  const week = Math.floor(dayNumber(day) / 7);
  return (week + commodity.name.length) % 5 === 0;
}
