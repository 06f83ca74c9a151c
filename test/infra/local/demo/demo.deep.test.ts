import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { DEMO_EXAMPLES, DEMO_KEYS, DEMO_VIEWS } from '../../../../infra/local/demo/demo-keys.ts';
import { generateDemo } from '../../../../infra/local/demo/generate-demo.ts';
import { EXPERIENCES } from '../../../../shared/catalog/tables.ts';
import { describeFacts } from './facts.ts';
import { describeLife } from './lifelike.ts';
import { byId, type Demo, hashFiles, readDemo, readRows } from './read-demo.ts';

const root = mkdtempSync(join(tmpdir(), 'endcap-demo-'));
const folder = join(root, 'demo');
const END = '2026-06-30';
const files = await generateDemo(folder, END);
const demo = readDemo(folder, '2026-04-02', END);

afterAll(() => rmSync(root, { recursive: true }));

test('the same last day gives the same bytes', async () => {
  const again = join(root, 'again');
  await generateDemo(again, END);
  expect(hashFiles(again)).toEqual(hashFiles(folder));
});

test('another last day gives other days of the same network', async () => {
  const winter = join(root, 'winter');
  const rows = await generateDemo(winter, '2025-02-28');
  const days = readRows<{ daily_date: string }>(winter, 'facts/pla/activity').map((row) => row.daily_date);
  expect([days[0], days.at(-1)]).toEqual(['2024-12-01', '2025-02-28']);
  const deliveries = EXPERIENCES.map((experience) => rows[`facts/${experience}/delivery`] ?? 0);
  expect(deliveries.reduce((sum, count) => sum + count, 0)).toBeGreaterThan(200_000);
  for (const name of ['accounts', 'advertisers', 'products', 'contacts', 'addresses', 'users']) {
    expect(hashFiles(winter)[`${name}.ndjson`]).toBe(hashFiles(folder)[`${name}.ndjson`]);
  }
});

test('the newest days and the older ones together are all rows of the demo', async () => {
  const [newest, older] = [join(root, 'newest'), join(root, 'older')];
  await generateDemo(newest, END, [-13, 0]);
  await generateDemo(older, END, [-89, -14]);
  const sorted = (rows: readonly object[]) => rows.map((row) => JSON.stringify(row)).sort();
  for (const name of Object.keys(files).filter((file) => file.startsWith('facts/'))) {
    expect(sorted([...readRows<object>(older, name), ...readRows<object>(newest, name)])).toEqual(
      sorted(readRows(folder, name)),
    );
  }
});

test('the number of rows of every file is returned', () => {
  const names = Object.keys(hashFiles(folder)).map((file) => file.replace('.ndjson', ''));
  const rows = names.map((name) => [name, readRows(folder, name).length]);
  expect(files).toEqual(Object.fromEntries(rows));
});

describe('the listings', () => describeListings(demo));
describe.each(EXPERIENCES)('the facts of %s', (experience) => describeFacts(experience, demo));
describe('the demo as a whole', () => describeLife(demo));

/** Tests of the listing files of the demo. */
function describeListings(demo: Demo): void {
  test('the agency and the brand share one account, and each has an account that the other does not have', () => {
    const users = new Map(demo.users.map((user) => [user.userId, user]));
    const agency = users.get(DEMO_KEYS.ecap_demo_agency);
    const brand = users.get(DEMO_KEYS.ecap_demo_cpg);
    expect([agency?.userType, brand?.userType]).toEqual(['AGENCY', 'CPG']);
    expect([agency?.name, brand?.name]).toEqual([DEMO_VIEWS.ecap_demo_agency, DEMO_VIEWS.ecap_demo_cpg]);
    const [agencyAccounts, brandAccounts] = [new Set<number>(agency?.accountIds), new Set<number>(brand?.accountIds)];
    expect(agencyAccounts.size).toBeGreaterThanOrEqual(2);
    expect(agencyAccounts.intersection(brandAccounts)).toEqual(new Set([DEMO_EXAMPLES.accountId]));
    expect(agencyAccounts.difference(brandAccounts).size).toBeGreaterThan(0);
    expect(brandAccounts.difference(agencyAccounts).size).toBeGreaterThan(0);
  });

  test('the example ids exist and are visible with both keys', () => {
    const adGroup = byId(demo.ad_groups)(DEMO_EXAMPLES.adGroupId);
    const campaign = byId(demo.campaigns)(adGroup.campaignId);
    expect(campaign.advertiserId).toBe(DEMO_EXAMPLES.advertiserId);
    const advertiser = byId(demo.advertisers)(campaign.advertiserId);
    expect(advertiser.accountIds).toContain(DEMO_EXAMPLES.accountId);
  });

  test('every account has advertisers, contacts and both types of addresses, and one has more than two pages of contacts', () => {
    const { accounts } = demo;
    const rowsOf = <T extends { accountIds: readonly number[] }>(rows: readonly T[], id: number) =>
      rows.filter((row) => row.accountIds.includes(id));
    const contacts = accounts.map(({ id }) => rowsOf(demo.contacts, id).length);
    expect(accounts.length).toBeGreaterThanOrEqual(4);
    expect(Math.min(...contacts)).toBeGreaterThan(0);
    expect(Math.max(...contacts)).toBeGreaterThan(20); // a page has 10 by default
    for (const { id } of accounts) {
      expect(rowsOf(demo.advertisers, id).length).toBeGreaterThan(0);
      const types = rowsOf(demo.addresses, id).map((address) => address.addressType);
      expect(new Set(types)).toEqual(new Set(['CPG', 'AGENCY']));
    }
  });

  test('every e-mail address is at example.com', () => {
    for (const { email } of demo.contacts) expect(email).toMatch(/^[a-z]+\.[a-z]+@example\.com$/);
  });

  test('scheduled and draft campaigns start after the last day, ended campaigns end before it, and the others include it', () => {
    for (const { status, startDate, endDate } of demo.campaigns) {
      if (status === 'SCHEDULED' || status === 'DRAFT') expect(startDate > demo.end).toBe(true);
      if (status === 'ACTIVE' || status === 'PAUSED')
        expect(startDate <= demo.end && (endDate ?? demo.end) >= demo.end).toBe(true);
      if (status === 'ENDED') expect((endDate ?? '9999') < demo.end).toBe(true);
    }
  });

  test('ad groups and campaigns have budgets of all four types, and never both of one campaign', () => {
    const [campaigns, adGroups] = [demo.campaigns, demo.ad_groups];
    const types = ['DAILY', 'WEEKLY', 'MONTHLY', 'LIFETIME', undefined];
    expect(new Set(campaigns.map((campaign) => campaign.budgetType))).toEqual(new Set(types));
    expect(new Set(adGroups.map((adGroup) => adGroup.budgetType))).toEqual(new Set(types));
    const campaignOf = byId(campaigns);
    for (const row of [...campaigns, ...adGroups]) expect(row.budget === undefined).toBe(row.budgetType === undefined);
    for (const adGroup of adGroups) {
      expect([adGroup.budget, campaignOf(adGroup.campaignId).budget]).toContain(undefined);
    }
  });
}
