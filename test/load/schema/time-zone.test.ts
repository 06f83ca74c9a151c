import { describe, expect, test } from 'vitest';
import { dayNumber } from '../../../shared/lib/calendar.ts';
import { TimeZone } from '../../../shared/load/schema/time-zone.ts';

const HOURS = Array.from({ length: 24 }, (_, hour) => hour);

describe('clocks skip', () => {
  test.each([
    ['no hour on most days', 'America/New_York', '2026-03-07', []],
    ['one where they go forward', 'America/New_York', '2026-03-08', [2]],
    ['none where they go back', 'America/New_York', '2026-11-01', []],
    ['none on the day after', 'America/New_York', '2026-03-09', []],
    ['one where southern clocks go forward', 'Australia/Sydney', '2026-10-04', [2]],
    ['none where they go forward by half an hour', 'Australia/Lord_Howe', '2026-10-04', []],
    ['none where they go back by half an hour', 'Australia/Lord_Howe', '2026-04-05', []],
    ['that after midnight', 'Asia/Beirut', '2026-03-29', [0]],
    ['those of a day that was skipped', 'Pacific/Apia', '2011-12-30', HOURS],
    ['no hour of UTC', 'UTC', '2026-03-08', []],
    ['no hour where the offset is odd', 'Asia/Kathmandu', '2026-03-08', []],
  ])('%s: %s %s', (_, zone, day, skipped) => {
    expect(new TimeZone(zone).skippedHours(dayNumber(day))).toEqual(skipped);
  });
});

describe('a day begins', () => {
  const begins = (zone: string, instant: string) => new TimeZone(zone).isStartOfDay(Date.parse(instant));

  test.each([
    ['UTC', '2026-03-08T00:00:00Z'],
    ['America/New_York', '2026-03-08T05:00:00Z'],
    ['America/New_York', '2026-03-09T04:00:00Z'],
    ['Asia/Tokyo', '2026-03-07T15:00:00Z'],
    ['Asia/Beirut', '2026-03-28T22:00:00Z'], // at one o'clock
    ['Pacific/Apia', '2011-12-30T10:00:00Z'],
  ])('in %s at %s', (zone, instant) => {
    expect(begins(zone, instant)).toBe(true);
  });

  test.each([
    ['UTC', '2026-03-08T00:00:00.001Z'],
    ['UTC', '2026-03-08T01:00:00Z'],
    ['America/New_York', '2026-03-08T00:00:00Z'],
    ['America/New_York', '2026-03-09T05:00:00Z'], // one o'clock in summer
    ['America/Havana', '2026-11-01T05:00:00Z'], // midnight for the second time
  ])('in %s not at %s', (zone, instant) => {
    expect(begins(zone, instant)).toBe(false);
  });
});

test('the local time of early years is in the same calendar as UTC', () => {
  expect(new TimeZone('UTC').localTime(Date.parse('0100-03-01T12:34:56Z'))).toBe(Date.parse('0100-03-01T12:34:56Z'));
});
