import { expect, test } from 'vitest';
import { readSince } from '../../../../infra/cli/audit/read-since.ts';

const NOW = Date.parse('2026-03-10T12:00:00Z');

test.each([
  ['7d', '2026-03-03T12:00:00Z'],
  ['12h', '2026-03-10T00:00:00Z'],
  ['30m', '2026-03-10T11:30:00Z'],
  ['3650d', '2016-03-12T12:00:00Z'],
  ['2026-03-01', '2026-03-01T00:00:00Z'],
  ['2024-02-29', '2024-02-29T00:00:00Z'],
  ['2026-03-01T12:00:00Z', '2026-03-01T12:00:00Z'],
  ['2026-03-01T12:00:00+02:00', '2026-03-01T10:00:00Z'],
])('--since %s means %s', (text, expected) => {
  expect(readSince(text, NOW)).toBe(Date.parse(expected));
});

const FORMS =
  'it must be a duration such as 7d, 12h or 30m, or a date or time such as 2026-03-01 or 2026-03-01T12:00:00Z';

test.each([
  ...['5', '40', '', 'foo 1', '-7d', '7 d', '1.5d', '2026-02-30', '2026-13-01', '2026-03', '2026-03-01T25:00:00Z'],
  ...['2026-03-01T12:00:00', 'March 1, 2026'],
])('--since %j is rejected', (text) => {
  expect(() => readSince(text, NOW)).toThrow(`--since is ${text}; ${FORMS}`);
});

test.each([
  ['2026-03-11', 'it must not be in the future'],
  ['2026-03-10T12:00:01Z', 'it must not be in the future'],
])('--since %s is rejected: %s', (text, message) => {
  expect(() => readSince(text, NOW)).toThrow(`--since is ${text}; ${message}`);
});
