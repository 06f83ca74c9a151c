import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createKey, revokeKey } from '../../shared/identity/api-keys.ts';
import { GOOD_REPORT } from '../support/report-settings.ts';
import { FREEZES, stopClock, type TestClock } from '../support/test-clock.ts';
import { reportRequest } from './support/gateway-event.ts';
import { LISTINGS, PLA_DELIVERY } from './support/network.ts';
import { type FunctionName, type Instance, openTestService, type TestService } from './support/test-service.ts';

const MINUTE = 60_000;

const LOADS = 3;

/** The network after `n` loads: its names have the number. Ana sees account 2 in every fourth of them. */
function networkAt(n: number): Readonly<Record<string, readonly object[]>> {
  const named = (listing: string) =>
    (LISTINGS[listing] ?? []).map((row) => ({ ...row, name: `${Object(row).name} ${n}` }));
  const names = ['accounts', 'advertisers', 'placements', 'products', 'campaigns', 'ad_groups'];
  const accountIds = n % (LOADS + 1) === 0 ? [1, 2] : [1];
  const users = named('users').map((user) => (Object(user).userId === 'ana' ? { ...user, accountIds } : user));
  const facts = PLA_DELIVERY.map((row) => ({ ...row, impressions: n + 1 }));
  const listings = Object.fromEntries(names.map((name) => [name, named(name)]));
  return { ...LISTINGS, ...listings, users, 'facts/pla/delivery': facts };
}

const key = 'key-carl';
const ofAccount = (id: string) => ({ query: [['account_id', id]] }) as const;
const period = { startDate: '2026-02-01', endDate: '2026-02-28', filters: [], advertiserIds: [], sort: [] };
const report = { ...GOOD_REPORT, ...period, metrics: ['impressions'], dimensions: ['campaign_name'] };

/** Requests of Carl to all functions that depend on the commit, with the members that name the items. */
const REQUESTS: Readonly<Record<FunctionName, Parameters<Instance['send']>[1]>> = {
  'list-accounts': { key },
  'list-advertisers': { key, ...ofAccount('1') },
  'list-placements': { key },
  'list-available-products': { key, pathParameters: { ad_group_id: '702' } },
  'list-campaigns': { key, ...ofAccount('1') },
  'list-ad-groups': { key, ...ofAccount('1') },
  'list-contacts': { key, ...ofAccount('1') },
  'submit-report': reportRequest(JSON.stringify(report), { key }),
};

const namesAt = (n: number) => ({
  'list-accounts': [200, `Alpha ${n}`, `Beta ${n}`],
  'list-advertisers': [200, `Oat Hill ${n}`, `Brook ${n}`],
  'list-placements': [200, `Search top ${n}`, `Home ${n}`],
  'list-available-products': [200, `Granola 1 ${n}`, `Granola 3 ${n}`],
  'list-campaigns': [200, `Spring ${n}`],
  'list-ad-groups': [200, `All ${n}`, `Few ${n}`],
  'list-contacts': [200, 'Ana', 'Ben', 'Shared'],
  'submit-report': [200, `Spring ${n}`],
});

async function readNames(instance: Instance) {
  const responses = Object.entries(REQUESTS).map(async ([name, request]) => {
    const { status, body } = await instance.send(name, request);
    const rows: unknown[] = Object(body).data ?? [];
    const names = rows.map((row) => Object(row).name ?? Object(row).campaign_name ?? Object(row).firstName);
    return [name, [status, ...names]] as const;
  });
  return Object.fromEntries(await Promise.all(responses));
}

/** @returns the status of Ana's requests with an account that she loses */
async function readLost(instance: Instance): Promise<ReadonlySet<number>> {
  const names = ['list-advertisers', 'list-campaigns', 'list-ad-groups', 'list-contacts', 'list-addresses'];
  const sent = names.map((name) => instance.send(name, { key: 'key-ana', ...ofAccount('2') }));
  return new Set((await Promise.all(sent)).map(({ status }) => status));
}

let service: TestService;
let clock: TestClock;
let n = 0;
let now = Date.now();

beforeAll(async () => {
  service = await openTestService({ files: networkAt(n) });
  clock = stopClock();
});

afterAll(async () => {
  clock.release();
  await service.close();
});

/** Loads the network again. What the load before has superseded is deleted first, because two minutes have passed. */
async function load(): Promise<void> {
  n += 1;
  now += 2 * MINUTE;
  await service.load(networkAt(n), () => now);
}

describe.each(FREEZES)('an instance %s', (_, clocksAfter) => {
  const thaw = () => clock.advance(...clocksAfter(2 * MINUTE));

  test('responds as of now after one load and after three, also to its first request', async () => {
    const [used, used3] = [await service.start(), await service.start()];
    vi.stubEnv('AWS_LAMBDA_INITIALIZATION_TYPE', 'provisioned-concurrency');
    const [unused, unused3] = [await service.start(), await service.start()];
    await sleep(200); // until they have read the commit
    for (const instance of [used, used3]) {
      expect(await readNames(instance)).toEqual(namesAt(n));
      expect(await readLost(instance)).toEqual(new Set([200]));
    }
    await load();
    thaw();
    for (const instance of [used, unused]) {
      expect(await readLost(instance)).toEqual(new Set([403]));
      expect(await readNames(instance)).toEqual(namesAt(n));
    }
    for (let left = LOADS - 1; left > 0; left -= 1) await load();
    thaw();
    for (const instance of [used3, unused3]) {
      expect(await readLost(instance)).toEqual(new Set([403]));
      expect(await readNames(instance)).toEqual(namesAt(n));
    }
    await load();
    thaw();
  });

  test('rejects a key that was revoked', async () => {
    const instance = await service.start();
    const created = await createKey(service.table, 'carl');
    const readStatus = async () => (await instance.send('list-placements', { key: created.key })).status;
    expect(await readStatus()).toBe(200);
    await revokeKey(service.table, 'carl', created.record.id);
    thaw();
    expect(await readStatus()).toBe(401);
  });
});
