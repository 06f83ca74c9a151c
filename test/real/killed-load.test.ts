import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ADVERTISER_ID, dateOf, daysFrom, makeBenchFolder, writeFactsCsv } from '../bench/tools/bench-folder.ts';
import { generateConversions, generateDelivery } from '../bench/tools/generate-facts.ts';
import { randomFrom } from '../oracle/random/random.ts';
import { type RealStage, startRealStage } from './real-stage.ts';
import { writeLoadFile } from './write-folder.ts';

/** Set KILLS to kill more loads; after each, the next load waits 20 seconds until the lease of the killed one has expired. */
const KILLS = Number(process.env.KILLS ?? 4);
const DAYS = daysFrom(0, 20);
const USERS = [{ userId: 'ana', name: 'Ana', userType: 'AGENCY', accountIds: [1] }] as const;

const before = makeBenchFolder();
const after = makeBenchFolder();
let stage: RealStage;
let fresh: RealStage;

beforeAll(async () => {
  writeLoadFile(before.path, 'users.ndjson', USERS);
  writeLoadFile(after.path, 'users.ndjson', USERS);
  writeLoadFile(after.path, 'accounts.ndjson', [{ id: ADVERTISER_ID, name: 'Northwind, renamed' }]);
  writeFactsCsv(before, 'delivery', DAYS, (day) => generateDelivery(day, 300));
  writeFactsCsv(before, 'conversions', DAYS, (day) => generateConversions(day, 60));
  writeFactsCsv(after, 'delivery', DAYS, (day) => generateDelivery(100 + day, 10_000));
  writeFactsCsv(after, 'conversions', DAYS, (day) => generateConversions(100 + day, 2_000));
  [stage, fresh] = await Promise.all([startRealStage(), startRealStage()]);
});

afterAll(async () => {
  await Promise.all([stage.close(), fresh.close()]);
  for (const folder of [before, after]) folder[Symbol.dispose]();
});

/** @returns the responses that a client gets: the accounts, a report from rollups and a report from facts */
async function readAll(stage: RealStage, key: string): Promise<unknown> {
  const report = async (dimensions: readonly string[], metrics: readonly string[]) => {
    const { data, totalCount } = await stage.report(key, 'pla', {
      ...{ startDate: dateOf(0), endDate: dateOf(DAYS.length - 1), advertiserIds: [], filters: [], sort: [] },
      ...{ dimensions, metrics, pagination: { offset: 0, size: 2_000 } },
    });
    return { data, totalCount };
  };
  return {
    accounts: (await stage.list(key, '/metadata/accounts')).data,
    byDay: await report(['daily_date'], ['impressions', 'cost', 'halo_revenue', 'halo_exposed_units']),
    byKeyword: await report(['keyword', 'placement'], ['impressions', 'clicks', 'video_completes']),
  };
}

test(
  `${KILLS} loads that are killed at random moments while they write leave nothing visible, and the next load has the result of a single load`,
  async () => {
    await Promise.all([stage.load(before.path), fresh.load(before.path)]);
    const [key, freshKey] = [await stage.createKey('ana'), await fresh.createKey('ana')];
    const old = await readAll(stage, key);
    const random = randomFrom(11);
    const single = fresh.startLoad(after.path);
    expect(await single.writing).toBe(true);
    const started = performance.now();
    expect(await single.ended).toMatchObject({ code: 0 });
    let maxDelayMs = performance.now() - started;
    const expected = await readAll(fresh, freshKey);
    expect(expected).not.toEqual(old);
    let killed = 0;
    while (killed < KILLS) {
      const load = stage.startLoad(after.path);
      expect(await load.writing).toBe(true); // it no longer waits for the lease of the load killed before, so the kill hits its writes
      await sleep(random.next() * maxDelayMs);
      load.kill();
      await load.ended;
      if (isDeepStrictEqual(await readAll(stage, key), expected)) {
        // The load had committed before it was killed, so its data are replaced again, and the next load is killed earlier.
        maxDelayMs /= 2;
        await stage.load(before.path);
      } else {
        killed += 1;
      }
      expect(await readAll(stage, key)).toEqual(old);
    }
    await stage.load(after.path);
    expect(JSON.stringify(await readAll(stage, key))).toBe(JSON.stringify(expected));
  },
  KILLS * 60_000 + 120_000,
);
