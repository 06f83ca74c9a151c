import { expect, test } from 'vitest';
import { describeAudit, summarizeLoad } from '../../../infra/cli/describe-audit.ts';
import { readSince } from '../../../infra/cli/read-since.ts';
import { describeDays } from '../../../shared/load/write/describe-days.ts';
import type { LoadEntry } from '../../../shared/store/commit/audit-entry.ts';

const ENTRY = { at: '2026-03-02T01:00:00.000Z', actor: 'ana', subject: 'march' };

const FACTS = {
  'pla/delivery': {
    loaded: describeDays(['2026-02-27', '2026-02-28', '2026-03-01', '2026-03-04']),
    emptied: describeDays(['2026-03-05', '2026-03-06']),
    rows: { before: 12, after: 9 },
    cost: { before: 26.7, after: 16.95 },
  },
  'toa/market': { loaded: describeDays(['2026-03-01']), emptied: [], rows: { before: 0, after: 3 } },
};
const LOAD: LoadEntry = {
  ...ENTRY,
  action: 'load',
  details: { listings: ['users'], facts: FACTS, warnings: 2, seconds: 3.5 },
};

test('a load is one line, with the intervals of days that it loaded and emptied, and rows and cost before and after', () => {
  expect(describeAudit(LOAD)).toBe(
    '2026-03-02T01:00:00.000Z  ana  load  march  listings: ["users"], pla/delivery: 2026-02-27…2026-03-01 2026-03-04 emptied 2026-03-05…2026-03-06 (rows 12 → 9, cost 26.7 → 16.95), toa/market: 2026-03-01 (rows 0 → 3), warnings: 2, seconds: 3.5',
  );
});

test('a load in short has no days', () => {
  expect(summarizeLoad(LOAD)).toBe(
    '2026-03-02T01:00:00.000Z  ana  march  users, pla/delivery 12 → 9 rows, toa/market 0 → 3 rows  2 warnings  3.5 s',
  );
});

test('a change of a key is one line with what changed', () => {
  const details = { user: 'carl', label: 'nightly', scopes: ['report'] };
  expect(describeAudit({ ...ENTRY, action: 'key set', subject: '812de5ae0322', details })).toBe(
    '2026-03-02T01:00:00.000Z  ana  key set  812de5ae0322  user: "carl", label: "nightly", scopes: ["report"]',
  );
});

test.each([
  ['key create', { userId: 'carl', days: 7 }, 'userId: "carl", days: 7'],
  ['key set', { userId: 'carl', days: 3650 }, 'userId: "carl", days: 3650'],
  [
    'key rotate',
    { userId: 'carl', replaces: 'b0a1', overlapDays: 3, days: 30 },
    'userId: "carl", replaces: "b0a1", overlapDays: 3, days: 30',
  ],
] as const)('%s shows the days after which the key expires', (action, details, shown) => {
  expect(describeAudit({ ...ENTRY, action, subject: '812de5ae0322', details })).toBe(
    `2026-03-02T01:00:00.000Z  ana  ${action}  812de5ae0322  ${shown}`,
  );
});

test('an entry without details ends with its subject', () => {
  expect(describeAudit({ ...ENTRY, action: 'key revoke', details: {} })).toBe(
    '2026-03-02T01:00:00.000Z  ana  key revoke  march',
  );
});

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
