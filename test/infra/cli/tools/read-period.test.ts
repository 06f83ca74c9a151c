import { expect, test } from 'vitest';
import { readPeriod } from '../../../../infra/cli/tools/report/report-options.ts';

test.each([
  [{}, 'latest-6d', 'latest'],
  [{ last: '1d' }, 'latest', 'latest'],
  [{ last: '28d' }, 'latest-27d', 'latest'],
  [{ last: '2w' }, 'latest-13d', 'latest'],
  [{ from: 'startOfMonth' }, 'startOfMonth', 'latest'],
  [{ from: '2026-02-01', to: 'yesterday' }, '2026-02-01', 'yesterday'],
])('the period %j is from %s to %s', (options, startDate, endDate) => {
  expect(readPeriod(options)).toEqual({ startDate, endDate });
});

test.each<[Parameters<typeof readPeriod>[0], string]>([
  ...['28', '0d', '28 days', 'd', '3m'].map((last): [object, string] => [
    { last },
    `--last is ${last}; it must be a number`,
  ]),
  [{ to: 'today' }, '--to needs --from'],
  [{ last: '7d', from: 'today' }, '--last cannot be combined with --from or --to'],
  [{ last: '7d', to: 'today' }, '--last cannot be combined with --from or --to'],
])('%j is not a period', (options, message) => {
  expect(() => readPeriod(options)).toThrow(message);
});
