import { expect, test } from 'vitest';
import { DEMO_EXAMPLES, DEMO_KEYS, DEMO_VIEWS } from '../../../../infra/start/demo/demo-keys.ts';
import { LISTING_FILES, listingColumns } from '../../../../shared/load/schema/file-columns.ts';
import { byId, type Demo, readRows } from './read-demo.ts';

/** The demo has no freshness file: its data are complete through the last day with delivery. */
const DEMO_LISTINGS = LISTING_FILES.filter((file) => file !== 'freshness');

/** Tests of the listing files of the demo. */
export function describeListings(demo: Demo, folder: string): void {
  test('every column is one that the loader accepts, and all required columns have values', () => {
    for (const listing of DEMO_LISTINGS) {
      const columns = listingColumns(listing);
      const required = columns.filter((column) => 'required' in column).map((column) => column.name);
      for (const row of readRows<object>(folder, listing)) {
        expect(columns.map((column) => column.name)).toEqual(expect.arrayContaining(Object.keys(row)));
        expect(Object.keys(row)).toEqual(expect.arrayContaining(required));
      }
    }
  });

  test('ids are unique in each listing', () => {
    for (const listing of DEMO_LISTINGS) {
      const [key] = listingColumns(listing);
      const ids = readRows<object>(folder, listing).map((row) => new Map(Object.entries(row)).get(key?.name ?? ''));
      expect(new Set(ids).size, listing).toBe(ids.length);
    }
  });

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

  test('some advertisers belong to two accounts, and the primary account is the first', () => {
    const advertisers = demo.advertisers;
    expect(advertisers.length).toBeGreaterThanOrEqual(12);
    expect(advertisers.filter(({ accountIds }) => accountIds.length === 2).length).toBeGreaterThanOrEqual(2);
    for (const { accountId, accountIds } of advertisers) expect(accountIds[0]).toBe(accountId);
  });

  test('UPCs are 13 digits, names of products are unique, and one advertiser has more than 100 products', () => {
    const products = demo.products;
    for (const { upc } of products) expect(upc).toMatch(/^\d{13}$/);
    const perAdvertiser = Map.groupBy(products, (product) => product.advertiserId);
    expect(Math.max(...[...perAdvertiser.values()].map((own) => own.length))).toBeGreaterThan(100);
    expect(new Set(products.map((product) => product.name)).size).toBe(products.length);
  });

  test('campaigns have every status, and at least six advertisers have five campaigns or more', () => {
    const campaigns = demo.campaigns;
    const statuses = new Set(campaigns.map((campaign) => campaign.status));
    expect(statuses).toEqual(new Set(['DRAFT', 'SCHEDULED', 'ACTIVE', 'PAUSED', 'ENDED']));
    const perAdvertiser = [...Map.groupBy(campaigns, (campaign) => campaign.advertiserId).values()];
    expect(perAdvertiser.filter((own) => own.length >= 5).length).toBeGreaterThanOrEqual(6);
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

  test('some ad groups list products of their advertiser, some have several segments, and some are in review or failed', () => {
    const adGroups = demo.ad_groups;
    const [campaignOf, productOf] = [byId(demo.campaigns), byId(demo.products)];
    for (const { campaignId, productIds } of adGroups) {
      const owners = new Set(productIds?.map((id) => productOf(id).advertiserId));
      if (productIds !== undefined) expect(owners).toEqual(new Set([campaignOf(campaignId).advertiserId]));
    }
    expect(adGroups.filter(({ productIds }) => productIds !== undefined).length).toBeGreaterThan(20);
    expect(adGroups.filter(({ segmentIds }) => (segmentIds?.length ?? 0) > 1).length).toBeGreaterThan(20);
    expect(adGroups.map((adGroup) => adGroup.status)).toEqual(expect.arrayContaining(['UNDER_REVIEW', 'FAILED']));
  });

  test('most but not all campaigns have an insertion order, whose remaining amount is at most its total and whose line items add up to it', () => {
    const orders = demo.insertion_orders;
    const campaigns = demo.campaigns;
    expect(orders.length).toBeGreaterThan(campaigns.length / 2);
    expect(orders.length).toBeLessThan(campaigns.length);
    for (const order of orders) expect(order.ioRemainingAmount).toBeLessThanOrEqual(order.ioTotalAmount);
    for (const lines of Map.groupBy(orders, (order) => order.ioNumber).values()) {
      expect(lines.reduce((sum, line) => sum + line.ioLineItemAmount, 0)).toBe(lines[0]?.ioTotalAmount);
    }
  });
}
