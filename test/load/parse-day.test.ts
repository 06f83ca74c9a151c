import { describe, expect, test } from 'vitest';
import { dayNumber } from '../../shared/lib/calendar.ts';
import { parseValue } from '../../shared/load/schema/parse-value.ts';
import { integerOf } from '../../shared/load/schema/text-ids.ts';
import { TimeZone } from '../../shared/load/schema/time-zone.ts';
import { DATE, Invalid } from '../../shared/load/schema/value-types.ts';

const parseDay = (text: string, zone: TimeZone) =>
  parseValue(text, DATE, { splitLists: false, zone, productIds: 'upc', integerOf });
const NEW_YORK = new TimeZone('America/New_York');

describe('reads a timestamp that is equivalent to a date as that date', () => {
  test.each([
    ['2026-03-08', '2026-03-08'],
    ['2026-03-08T00:00:00', '2026-03-08'],
    ['2026-03-08 00:00:00', '2026-03-08'],
    ['2026-03-08 00:00:00.000', '2026-03-08'],
    ['2026-03-08T00:00:00.000000000', '2026-03-08'],
    ['2026-03-08 00:00', '2026-03-08'],
    // instants at which a day begins in the platform's zone, before and after clocks change
    ['2026-03-08T05:00:00Z', '2026-03-08'],
    ['2026-03-08T05:00:00.000Z', '2026-03-08'],
    ['2026-03-09T04:00:00Z', '2026-03-09'],
    ['2026-03-09t04:00:00z', '2026-03-09'],
    ['2026-03-08 00:00:00-05:00', '2026-03-08'],
    ['2026-03-08 00:00:00-05', '2026-03-08'],
    ['2026-03-09 00:00:00 -0400', '2026-03-09'],
    ['2026-03-08 05:00:00 UTC', '2026-03-08'],
    ['2026-03-08T05:00Z', '2026-03-08'],
    ['2026-03-07T23:00:00-06:00', '2026-03-08'],
    ['2026-03-08T10:30:00+05:30', '2026-03-08'],
  ])('%s', (text, day) => {
    expect(parseDay(text, NEW_YORK)).toBe(day);
  });

  test('days begin in the platform’s zone', () => {
    expect(parseDay('2026-03-07T15:00:00Z', new TimeZone('Asia/Tokyo'))).toBe('2026-03-08');
    expect(parseDay('2026-03-08T00:00:00+00:00', new TimeZone('UTC'))).toBe('2026-03-08');
  });
});

describe('rejects other texts, and suggests a day for valid timestamps', () => {
  const LOCAL = 'a timestamp is a date at midnight only; write 2026-03-08 if that is the day';
  const ZONED = 'a timestamp with a zone is a date only if a day begins there at that instant; write';
  test.each([
    ['2026-03-08T07:30:00', `"2026-03-08T07:30:00": ${LOCAL}`],
    ['2026-03-08 00:00:00.000001', `"2026-03-08 00:00:00.000001": ${LOCAL}`],
    [
      '2026-03-08T00:00:00Z',
      `"2026-03-08T00:00:00Z", which is 19:00:00 on 2026-03-07 in America/New_York: ${ZONED} 2026-03-07 if that is the day`,
    ],
    [
      '2026-03-09 00:00:00-05:00',
      `"2026-03-09 00:00:00-05:00", which is 01:00:00 on 2026-03-09 in America/New_York: ${ZONED} 2026-03-09 if that is the day`,
    ],
    [
      '2026-03-08T05:00:00.5Z',
      `"2026-03-08T05:00:00.5Z", which is 00:00:00 on 2026-03-08 in America/New_York: ${ZONED} 2026-03-08 if that is the day`,
    ],
    ['2026-02-29T00:00:00', '"2026-02-29T00:00:00"'],
    ['2026-03-08T24:00:00', '"2026-03-08T24:00:00"'],
    ['2026-03-08T00:60:00', '"2026-03-08T00:60:00"'],
    ['2026-03-08T', '"2026-03-08T"'],
    ['2026-03-06T03:00:00+99:00', '"2026-03-06T03:00:00+99:00"'],
    ['2026-03-06T03:00:00+05:60', '"2026-03-06T03:00:00+05:60"'],
    ['2026-03-08 EST', '"2026-03-08 EST"'],
    ['03/08/2026', '"03/08/2026"'],
  ])('%s', (text, reason) => {
    expect(parseDay(text, NEW_YORK)).toEqual(new Invalid(`must be a date YYYY-MM-DD, not ${reason}`));
  });

  test.each(['9999-12-31T23:00:00Z', '9999-12-31T23:30:00Z'])('%s, of the year 10000 in Berlin', (text) => {
    expect(parseDay(text, new TimeZone('Europe/Berlin'))).toEqual(
      new Invalid(`must be a date YYYY-MM-DD, not ${JSON.stringify(text)}`),
    );
    expect(parseDay('9999-12-30T23:00:00Z', new TimeZone('Europe/Berlin'))).toBe('9999-12-31');
  });

  test('0100-01-01T00:00:00Z, of the year 99 in New York', () => {
    const text = '0100-01-01T00:00:00Z';
    expect(parseDay(text, NEW_YORK)).toEqual(new Invalid(`must be a date YYYY-MM-DD, not ${JSON.stringify(text)}`));
  });

  test.each(['0001-01-01', '0001-01-01T00:00:00', '0001-01-01 00:00:00Z'])('%s, of a year before 0100', (text) => {
    expect(parseDay(text, NEW_YORK)).toEqual(
      new Invalid(`must have a year from 0100 to 9999, not ${JSON.stringify(text)}`),
    );
  });
});

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
