import { AdGroup, listAdGroupsInput } from '../shared/contract/resources/ad-group.ts';
import { METADATA_PAGING } from '../shared/contract/resources/paging.ts';
import { endpoint } from '../shared/http/endpoint.ts';
import { pageResponse } from '../shared/http/page-response.ts';
import { requireAccount } from '../shared/http/require-account.ts';
import { resolveAdvertisers } from '../shared/identity/account-scope.ts';
import { openPlatform } from '../shared/identity/platform.ts';
import { AdvertiserRows } from '../shared/store/cache/advertiser-rows.ts';

const platform = openPlatform();
const adGroups = new AdvertiserRows('ad_groups', ['segmentIds', 'experience']);

/** GET /metadata/ad_groups: the ad groups in one of the caller's accounts, optionally of one advertiser. */
export const handler = endpoint(platform, {
  scope: 'metadata',
  input: listAdGroupsInput,
  item: AdGroup,
  handle: async (request) => {
    const { context, table } = request;
    const { query } = request.input;
    await requireAccount(request, query.account_id);
    const state = await platform.commits.recent(table);
    const advertiserIds = await resolveAdvertisers(table, state, query);
    const page = await adGroups.readPage(table, advertiserIds, state, query);
    return pageResponse(context.path, query, METADATA_PAGING, page);
  },
});
