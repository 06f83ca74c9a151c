import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createKey } from '../../../shared/identity/api-keys.ts';
import { folderOf } from '../../load/support/folder.ts';
import { IS_LONG, printFigures, randomOf } from '../support/budget.ts';
import { demoRequests } from '../support/demo-requests.ts';
import { openRestartableStage, type RestartableStage } from '../support/restartable-stage.ts';
import { processorSeconds, residentMb, sendTo, serverErrors, Tally } from './measure.ts';

const KEYS = 200;
/** The time in which the requests of an hour are sent. */
const HOUR_MS = IS_LONG ? 7_500 : 1_000;
const REQUESTS = IS_LONG ? 12_000 : 1_200;
const MAX_MB = 1_536;
const ACCOUNTS = [1001, 1002, 1003, 1004, 1005];

/** The share of a day's requests by hour: few at night, most in the morning, when yesterday's reports are read. */
const CURVE = Array.from(
  { length: 24 },
  (_, hour) => 0.15 + Math.max(0, Math.sin(((hour - 6) / 14) * Math.PI)) + (hour === 9 ? 0.8 : 0),
);

let stage: RestartableStage;
beforeAll(async () => {
  stage = await openRestartableStage({ demo: true });
});
afterAll(() => stage.close());

test('a day’s requests of 200 keys, sent within minutes, exceed no limit of their keys and cause no server error before a time limit', async () => {
  const { url, pid } = await stage.start();
  const random = randomOf(800);
  const users = Array.from({ length: KEYS }, (_, i) => ({
    ...{ userId: `busy-${i}`, name: `Busy ${i}`, userType: random.pick(['AGENCY', 'CPG']) },
    accountIds: random.sample(ACCOUNTS, 1 + random.int(3)),
  }));
  using folder = folderOf({ 'users.patch': users });
  expect(await stage.load(folder.path).ended).toMatchObject({ code: 0 });
  const table = await stage.table();
  for (const { userId } of users) await createKey(table, userId, { key: `key-${userId}` });

  const requests = demoRequests(random, 400);
  const sum = CURVE.reduce((total, share) => total + share, 0);
  const byHour = CURVE.map(() => new Tally());
  const pending: Promise<void>[] = [];
  for (const [hour, share] of CURVE.entries()) {
    const count = Math.round((REQUESTS * share) / sum);
    for (let i = 0; i < count; i++) {
      const request = random.pick(requests);
      const key = `key-${random.pick(users, 2).userId}`; // some keys send more than others
      const startedAt = performance.now();
      const add = (status: number) => byHour[hour]?.add(status, performance.now() - startedAt);
      pending.push(sendTo(url, request, key).then(add));
      await sleep(HOUR_MS / count);
    }
  }
  await Promise.all(pending);
  const total = (matches: (status: number) => boolean) =>
    byHour.reduce((all, tally) => all + tally.countOf(matches), 0);
  printFigures('load, busy day', {
    ...{
      'server errors': serverErrors(byHour),
      keys: KEYS,
      requests: total(() => true),
      succeeded: total((status) => status === 200),
    },
    ...{
      'p99 ms at 3 h': byHour[3]?.quantile(0.99) ?? 0,
      'p99 ms at 9 h': byHour[9]?.quantile(0.99) ?? 0,
      'MB at the end': residentMb(pid),
      'processor s': processorSeconds(pid),
    },
  });
  expect(total((status) => status === 429)).toBe(0);
  expect(byHour.reduce((failures, tally) => failures + tally.failures, 0)).toBe(0);
  expect(total((status) => status < 500)).toBeGreaterThan(REQUESTS / 24);
  expect(residentMb(pid)).toBeLessThan(MAX_MB);
});
