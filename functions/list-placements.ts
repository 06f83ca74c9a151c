import { listPlacementsInput, Placement } from '../shared/contract/resources/placement.ts';
import { listing } from '../shared/http/listing.ts';
import { openPlatform } from '../shared/identity/platform.ts';
import { readListingPage } from '../shared/store/listings/listings.ts';
import { allPlacements } from '../shared/store/table/item-keys.ts';

const platform = openPlatform();

/** GET /metadata/placements: all placements of the platform. */
export const handler = listing(platform, {
  input: listPlacementsInput,
  item: Placement,
  read: ({ table }, page) => readListingPage(table, allPlacements, page, platform.commits),
});
