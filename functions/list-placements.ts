import { listPlacements } from '../shared/contract/resources/placement.ts';
import type { ApiHandler } from '../shared/http/endpoint.ts';
import { listing } from '../shared/http/listing.ts';
import { openPlatform, type Platform } from '../shared/identity/platform.ts';
import { readListingPage } from '../shared/store/listings/listings.ts';
import { allPlacements } from '../shared/store/table/item-keys.ts';

/** GET /metadata/placements: all placements of the platform. */
export const create = (platform: Platform): ApiHandler =>
  listing(platform, listPlacements, ({ table }, page) => readListingPage(table, allPlacements, page, platform.commits));

export const handler = create(openPlatform());
