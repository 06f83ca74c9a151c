import { listCampaigns } from '../shared/contract/resources/campaign.ts';
import type { ApiHandler } from '../shared/http/endpoint.ts';
import { listing } from '../shared/http/listing.ts';
import { resolveAdvertisers } from '../shared/identity/account-scope.ts';
import { openPlatform, type Platform } from '../shared/identity/platform.ts';
import { AdvertiserRows } from '../shared/store/cache/advertiser-rows.ts';

/** GET /metadata/campaigns: the campaigns in one of the caller's accounts, optionally of one advertiser. */
export function create(platform: Platform): ApiHandler {
  const campaigns = new AdvertiserRows('campaigns');
  return listing(platform, listCampaigns, async ({ input: { query }, table }) => {
    const state = await platform.commits.recent(table);
    const advertiserIds = await resolveAdvertisers(table, state, query);
    return campaigns.readPage(table, advertiserIds, state, query);
  });
}

export const handler = create(openPlatform());
