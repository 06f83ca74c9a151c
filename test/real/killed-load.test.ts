import { afterAll, beforeAll, expect, test } from 'vitest';
import { ADVERTISER_ID, dateOf, makeBenchFolder, writeFactsCsv } from '../bench/bench-folder.ts';
import { generateConversions, generateDelivery, seededRandom } from '../bench/generate-facts.ts';
import { type RealStage, startRealStage } from './real-stage.ts';
import { writeLoadFile } from './write-folder.ts';

/** KILLS=20 in the environment kills more often; each costs the ten seconds until a silent load is taken for dead. */
const KILLS = Number(process.env.KILLS ?? 4);
const DAYS = 20;
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
  writeFactsCsv(after, 'delivery', DAYS, (day) => generateDelivery(100 + day, 10_000));
  writeFactsCsv(after, 'conversions', DAYS, (day) => generateConversions(100 + day, 2_000));
  [stage, fresh] = await Promise.all([startRealStage(), startRealStage()]);
});

afterAll(async () => {
  await Promise.all([stage.close(), fresh.close()]);
  for (const folder of [before, after]) folder[Symbol.dispose]();
});

/** What a caller sees: the accounts, and reports from facts and from rollups. */
async function seenOn(where: RealStage, key: string): Promise<unknown> {
  const ask = async (dimensions: readonly string[], metrics: readonly string[]) => {
    const { data, totalCount } = await where.report(key, 'pla', {
      ...{ startDate: dateOf(0), endDate: dateOf(DAYS - 1), advertiserIds: [], filters: [], sort: [] },
      ...{ dimensions, metrics, pagination: { offset: 0, size: 2_000 } },
    });
    return { data, totalCount };
  };
  return {
    accounts: (await where.list(key, '/metadata/accounts')).data,
    byDay: await ask(['daily_date'], ['impressions', 'cost', 'halo_revenue', 'halo_exposed_units']),
    byKeyword: await ask(['keyword', 'placement'], ['impressions', 'clicks', 'video_completes']),
  };
}

test(
  `a load that is killed at ${KILLS} random moments is not seen, and run again ends as if it had run once`,
  async () => {
    await Promise.all([stage.load(before.path), fresh.load(before.path)]);
    const [key, freshKey] = [await stage.createKey('ana'), await fresh.createKey('ana')];
    const seen = await seenOn(stage, key);
    const random = seededRandom(11);
    const started = performance.now();
    await fresh.load(after.path);
    const loadMs = performance.now() - started;
    let killed = 0;
    while (killed < KILLS && (await stage.killLoad(after.path, random() * loadMs))) {
      killed += 1;
      expect(await seenOn(stage, key)).toEqual(seen);
    }
    await stage.load(after.path);
    const expected = await seenOn(fresh, freshKey);
    expect(expected).not.toEqual(seen);
    expect(JSON.stringify(await seenOn(stage, key))).toBe(JSON.stringify(expected));
    expect(killed).toBeGreaterThanOrEqual(KILLS / 2);
  },
  KILLS * 30_000 + 60_000,
);
