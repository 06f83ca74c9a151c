import { describe, expect, test } from 'vitest';
import { dayNumber, formatDay } from '../../../shared/lib/calendar.ts';
import { TimeZone } from '../../../shared/load/schema/time-zone.ts';

const hours = (zone: string, day: string) => new TimeZone(zone).secondsOfHours(dayNumber(day));
const HOUR = 3_600;
/** @returns the seconds of each hour of a day: `others` by hour, and an hour for the rest */
const except = (others: Readonly<Record<number, number>>) =>
  Array.from({ length: 24 }, (_, hour) => others[hour] ?? HOUR);

describe('the hours of a day last', () => {
  test.each([
    ['an hour each on most days', 'America/New_York', '2026-03-07', except({})],
    ['none where clocks go forward', 'America/New_York', '2026-03-08', except({ 2: 0 })],
    ['two where clocks go back', 'America/New_York', '2026-11-01', except({ 1: 2 * HOUR })],
    ['an hour each on the day after', 'America/New_York', '2026-03-09', except({})],
    ['none where southern clocks go forward', 'Australia/Sydney', '2026-10-04', except({ 2: 0 })],
    ['half an hour where clocks go forward by so much', 'Australia/Lord_Howe', '2026-10-04', except({ 2: HOUR / 2 })],
    [
      'an hour and a half where they go back by so much',
      'Australia/Lord_Howe',
      '2026-04-05',
      except({ 1: 1.5 * HOUR }),
    ],
    ['none where midnight is skipped', 'Asia/Beirut', '2026-03-29', except({ 0: 0 })],
    ['none on a day that was skipped', 'Pacific/Apia', '2011-12-30', except(Array(24).fill(0))],
    ['an hour each on any day of UTC', 'UTC', '2026-03-08', except({})],
    ['an hour each where the offset is odd', 'Asia/Kathmandu', '2026-03-08', except({})],
  ])('%s: %s %s', (_, zone, day, seconds) => {
    expect(hours(zone, day)).toEqual(seconds);
  });
});

describe('a day begins', () => {
  const begun = (zone: string, instant: string) => {
    const day = new TimeZone(zone).dayBegunAt(Date.parse(instant));
    return day === undefined ? undefined : formatDay(day);
  };
  test.each([
    ['UTC', '2026-03-08T00:00:00Z', '2026-03-08'],
    ['America/New_York', '2026-03-08T05:00:00Z', '2026-03-08'],
    ['America/New_York', '2026-03-09T04:00:00Z', '2026-03-09'],
    ['Asia/Tokyo', '2026-03-07T15:00:00Z', '2026-03-08'],
    ['Asia/Beirut', '2026-03-28T22:00:00Z', '2026-03-29'], // at one o'clock
    ['Pacific/Apia', '2011-12-30T10:00:00Z', '2011-12-31'],
  ])('in %s at %s', (zone, instant, day) => {
    expect(begun(zone, instant)).toBe(day);
  });

  test.each([
    ['UTC', '2026-03-08T00:00:00.001Z'],
    ['UTC', '2026-03-08T01:00:00Z'],
    ['America/New_York', '2026-03-08T00:00:00Z'],
    ['America/New_York', '2026-03-09T05:00:00Z'], // one o'clock in summer
    ['America/Havana', '2026-11-01T05:00:00Z'], // midnight for the second time
  ])('in %s not at %s', (zone, instant) => {
    expect(begun(zone, instant)).toBeUndefined();
  });
});

test('the local time of early years is in the same calendar as UTC', () => {
  expect(new TimeZone('UTC').localTime(Date.parse('0100-03-01T12:34:56Z'))).toBe(Date.parse('0100-03-01T12:34:56Z'));
});
