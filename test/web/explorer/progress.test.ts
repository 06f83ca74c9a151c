import { expect, test } from 'vitest';
import { describeProgress } from '../../../shared/web/explorer/result/describe-progress.ts';

test.each([
  [429, 'Waiting 12 s: the key’s limit of requests is reached.'],
  [503, 'Waiting 12 s: the service is busy.'],
  [undefined, 'Waiting 12 s: the service cannot be reached.'],
])('a report that waits after status %s says why', (status, text) => {
  const wait = { status, seconds: 12, until: 1_012_000 };
  expect([1_000_000, 1_000_900, 1_011_900, 1_012_000].map((now) => describeProgress(wait, now))).toEqual([
    text,
    text,
    text.replace('12', '1'),
    'Reading the result…',
  ]);
});
