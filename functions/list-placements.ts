import { METADATA_PAGING } from '../shared/contract/resources/paging.ts';
import { listPlacementsInput, Placement } from '../shared/contract/resources/placement.ts';
import { endpoint } from '../shared/http/endpoint.ts';
import { pageResponse } from '../shared/http/page-response.ts';
import { openPlatform } from '../shared/identity/platform.ts';
import { readListingPage } from '../shared/store/listings/listings.ts';
import { allPlacements } from '../shared/store/table/item-keys.ts';

const platform = openPlatform();

/** GET /metadata/placements: all placements of the platform. */
export const handler = endpoint(platform, {
  scope: 'metadata',
  input: listPlacementsInput,
  item: Placement,
  handle: async ({ input: { query }, table, context }) => {
    const found = await readListingPage(table, allPlacements, query, platform.commits);
    return pageResponse(context.path, query, METADATA_PAGING, found);
  },
});
