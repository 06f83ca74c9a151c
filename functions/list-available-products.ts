import { listAvailableProducts } from '../shared/contract/resources/product.ts';
import type { ApiHandler } from '../shared/http/endpoint.ts';
import { listing } from '../shared/http/listing.ts';
import { findMember } from '../shared/http/own-account.ts';
import { openPlatform, type Platform } from '../shared/identity/platform.ts';
import { ApiError } from '../shared/lib/errors.ts';
import { readAdGroup, readAdGroupProducts } from '../shared/store/listings/ad-groups.ts';

/** GET /ad_groups/{ad_group_id}/available_products: the products of one of the caller's ad groups; `available` says which can currently be advertised. */
export const create = (platform: Platform): ApiHandler =>
  listing(platform, listAvailableProducts, async ({ caller, context, input: { path }, table }, page) => {
    const adGroup = await readAdGroup(table, path.ad_group_id, platform.commits);
    // also for an unknown ad group, so that its response takes the same calls as that for another user's
    const member = await findMember(caller, adGroup?.accountIds ?? [], context.refreshCaller);
    if (adGroup === undefined || member === undefined) throw notFound();
    return readAdGroupProducts(table, adGroup, page);
  });

export const handler = create(openPlatform());

/** The error is the same whether the ad group belongs to somebody else or does not exist. */
function notFound(): ApiError {
  const detail = 'Must be the id of one of your ad groups.';
  return new ApiError('AD_GROUP_NOT_FOUND', 'You have no ad group with this id.', {
    fields: [{ in: 'path', pointer: 'ad_group_id', code: 'NOT_YOURS', detail }],
  });
}
