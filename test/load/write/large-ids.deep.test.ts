import fc from 'fast-check';
import { expect, test } from 'vitest';
import { resolveReportScope } from '../../../shared/identity/report-scope.ts';
import type { ReportQuery, ReportRow } from '../../../shared/report/query/query.ts';
import { runReport } from '../../../shared/report/run-report.ts';
import { readCommit } from '../../../shared/store/commit/commits.ts';
import { readAdGroup, readAdGroupProducts } from '../../../shared/store/listings/ad-groups.ts';
import { readWholeListing } from '../../../shared/store/listings/listings.ts';
import { readUser } from '../../../shared/store/listings/users.ts';
import { openSegmentSource } from '../../../shared/store/segment-source.ts';
import { addressesOfAccount, listingOfAccount } from '../../../shared/store/table/item-keys.ts';
import type { Table } from '../../../shared/store/table/table.ts';
import { SETTINGS } from '../../support/report-settings.ts';
import { useEngine } from '../../support/use-engine.ts';
import { tableWith } from '../support/load-rows.ts';
import type { FolderRows } from '../support/network-rows.ts';

const engine = useEngine();

/** Where arithmetic on 32 bits, or on numbers packed into one, goes wrong, up to the largest id. */
const EDGES = [1, 2 ** 31 - 1, 2 ** 31, 2 ** 31 + 1, 2 ** 32 - 1, 2 ** 32, 2 ** 32 + 1, 2 ** 40, 2 ** 53 - 1];
const DAYS = ['2026-02-01', '2026-02-02', '2026-02-03', '2026-02-04'];

type Pair = readonly [number, number];
const pair = fc.shuffledSubarray(EDGES, { minLength: 2, maxLength: 2 }).map((ids): Pair => [ids[0] ?? 1, ids[1] ?? 1]);
const network = fc.record({
  accounts: pair,
  advertisers: pair,
  contacts: pair,
  addresses: pair,
  placements: pair,
  products: pair,
  campaigns: pair,
  adGroups: pair,
});

/** Two of everything, the first belonging to the first; impressions differ between the ad groups and between days. */
function rowsOf(ids: ReturnType<typeof allOf>): FolderRows {
  const both = <T>(make: (side: 0 | 1) => T): T[] => [make(0), make(1)];
  const active = { status: 'ACTIVE', startDate: '2026-01-01' };
  return {
    accounts: both((at) => ({ id: ids.accounts[at], name: `Account ${at}` })),
    advertisers: both((at) => ({ id: ids.advertisers[at], name: `Advertiser ${at}`, accountId: ids.accounts[at] })),
    contacts: both((at) => ({
      ...{ id: ids.contacts[at], firstName: 'A', lastName: 'B', email: 'a@example.org', contactType: 'CPG' },
      accountIds: [ids.accounts[at]],
    })),
    addresses: both((at) => ({
      ...{ id: ids.addresses[at], companyName: 'C', addressLine1: '1', city: 'D', country: 'US', addressType: 'CPG' },
      accountIds: [ids.accounts[at]],
    })),
    placements: both((at) => ({ id: ids.placements[at], name: `Placement ${at}`, experiences: ['pla'] })),
    products: both((at) => ({ id: ids.products[at], advertiserId: ids.advertisers[at], upc: '1', name: `P ${at}` })),
    campaigns: both((at) => ({ id: ids.campaigns[at], name: `C${at}`, advertiserId: ids.advertisers[at], ...active })),
    ad_groups: both((at) => ({
      ...{ id: ids.adGroups[at], name: `G${at}`, campaignId: ids.campaigns[at], ...active },
      productIds: [ids.products[at]],
    })),
    users: [{ userId: 'ana', name: 'Ana', userType: 'AGENCY', accountIds: [...ids.accounts] }],
    'facts/pla/delivery': both((at) =>
      DAYS.map((day, i) => ({
        ...{ daily_date: day, hour: 9, ad_group_id: ids.adGroups[at], placement_id: ids.placements[at] },
        impressions: 10 ** (i + 4 * at),
      })),
    ).flat(),
  };
}

const idsIn = async (items: Promise<readonly object[]>) => (await items).map((item) => Object(item).id);

async function report(table: Table, change: Partial<ReportQuery>): Promise<readonly ReportRow[]> {
  const state = await readCommit(table);
  const user = await readUser(table, 'ana', state);
  if (user === undefined) throw new Error('the user is missing');
  const scope = await resolveReportScope(
    table,
    state,
    { ...user, accountIds: new Set(user.accountIds), commit: state.commit },
    [],
  );
  const query: ReportQuery = {
    ...{ experience: 'pla', startDate: '2026-02-01', endDate: '2026-02-28', metrics: ['impressions'], filters: [] },
    ...{ dimensions: [], sort: [], pagination: { offset: 0, size: 100 } },
    ...change,
  };
  return (await runReport({ query, scope, settings: SETTINGS, source: openSegmentSource(table, state) })).data;
}

test('ids up to 2^53 − 1 keep listings, days, groups and filters apart from load to report', async () => {
  await fc.assert(
    fc.asyncProperty(network, async (ids) => {
      const table = await tableWith(engine, rowsOf(ids));
      const state = await readCommit(table);
      for (const at of [0, 1] as const) {
        const account = ids.accounts[at];
        const listed = (ref: Parameters<typeof readWholeListing>[1]) => idsIn(readWholeListing(table, ref, state));
        expect(await listed(listingOfAccount('advertisers', account))).toEqual([ids.advertisers[at]]);
        expect(await listed(listingOfAccount('contacts', account))).toEqual([ids.contacts[at]]);
        expect(await listed(addressesOfAccount(account, 'ALL'))).toEqual([ids.addresses[at]]);
        const adGroup = await readAdGroup(table, ids.adGroups[at], state);
        if (adGroup === undefined) throw new Error('the ad group is missing');
        expect(adGroup.advertiserId).toBe(ids.advertisers[at]);
        expect(
          await idsIn(readAdGroupProducts(table, adGroup, { offset: 0, size: 10 }).then((page) => page.items)),
        ).toEqual([ids.products[at]]);
        const filters = [{ field: 'ad_group_id', operator: 'EQUALS', values: [String(ids.adGroups[at])] }] as const;
        const dimensions = ['daily_date', 'advertiser_id', 'campaign_id', 'ad_group_id', 'placement'] as const;
        expect(await report(table, { dimensions, filters })).toEqual(
          DAYS.map((daily_date, i) => ({
            daily_date,
            ...{ advertiser_id: ids.advertisers[at], campaign_id: ids.campaigns[at], ad_group_id: ids.adGroups[at] },
            ...{ placement: `Placement ${at}`, impressions: 10 ** (i + 4 * at) },
          })),
        );
      }
      expect(await report(table, { dimensions: ['daily_date'] })).toEqual(
        DAYS.map((daily_date, i) => ({ daily_date, impressions: 10 ** i + 10 ** (i + 4) })),
      );
    }),
    { numRuns: 12, seed: 31, examples: [[allOf([2 ** 31, 1])], [allOf([2 ** 53 - 1, 2 ** 32])]] },
  );
});

function allOf(ids: Pair) {
  return {
    ...{ accounts: ids, advertisers: ids, contacts: ids, addresses: ids, placements: ids, products: ids },
    ...{ campaigns: ids, adGroups: ids },
  };
}
