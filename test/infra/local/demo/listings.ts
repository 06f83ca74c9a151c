import { expect, test } from 'vitest';
import { DEMO_EXAMPLES, DEMO_KEYS, DEMO_VIEWS } from '../../../../infra/local/demo/demo-keys.ts';
import { byId, type Demo } from './read-demo.ts';

/** Tests of the listing files of the demo. */
export function describeListings(demo: Demo): void {
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
