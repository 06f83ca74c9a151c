import { listAdGroups } from '../shared/contract/resources/ad-group.ts';
import type { ApiHandler } from '../shared/http/endpoint.ts';
import { listing } from '../shared/http/listing.ts';
import { resolveAdvertisers } from '../shared/identity/account-scope.ts';
import { openPlatform, type Platform } from '../shared/identity/platform.ts';
import { AdvertiserRows } from '../shared/store/cache/advertiser-rows.ts';

/** GET /metadata/ad_groups: the ad groups in one of the caller's accounts, optionally of one advertiser. */
export function create(platform: Platform): ApiHandler {
  const adGroups = new AdvertiserRows('ad_groups');
  return listing(platform, listAdGroups, async ({ input: { query }, table }) => {
    const state = await platform.commits.recent(table);
    const advertiserIds = await resolveAdvertisers(table, state, query);
    return adGroups.readPage(table, advertiserIds, state, query);
  });
}

export const handler = create(openPlatform());
