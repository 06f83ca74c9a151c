import { LISTING_FILES, type ListingFile } from '../../../shared/load/schema/file-columns.ts';
import type { LoadRow } from '../../real/write-folder.ts';
import { type FolderRows, NETWORK } from './network-rows.ts';

/** @returns the rows of the listing in the network */
export const rowsOf = (listing: ListingFile): readonly LoadRow[] => NETWORK[listing] ?? [];

export const NEW_USER = { userId: 'u-new', name: 'Nina', userType: 'CPG', accountIds: [2] };
export const CHANGED_USER = { userId: 'u-agency', name: 'Agnes B.', userType: 'AGENCY', accountIds: [1] };
export const USERS_PATCH = [NEW_USER, CHANGED_USER, { userId: 'u-cpg', deleted: true }];
export const PATCHED_USERS = [CHANGED_USER, NEW_USER];

/** A patch and what it changes. */
interface Patch {
  readonly patch: readonly LoadRow[];
  /** The whole listing that has the same rows as the patched one. */
  readonly whole: readonly LoadRow[];
  readonly added: number;
  readonly replaced: number;
  readonly removed: number;
}

/** The network without insertion orders, so that their patch only adds, and with a creative that remains when `k1` is removed. */
export const BASE: FolderRows = {
  ...NETWORK,
  insertion_orders: [],
  creatives: [...rowsOf('creatives'), { key: 'k2', name: 'Film', advertiserId: 11 }],
};

const ONE_ADDED_ONE_REPLACED = { added: 1, replaced: 1, removed: 0 };

/** Patches over the rows of BASE. */
const PATCHES: Partial<Readonly<Record<ListingFile, Patch>>> = {
  accounts: {
    patch: [
      { id: 3, name: 'Gamma' },
      { id: 2, name: 'Beta' },
    ],
    whole: [
      { id: 2, name: 'Beta' },
      { id: 1, name: 'Ácme' },
      { id: 3, name: 'Gamma' },
    ],
    ...ONE_ADDED_ONE_REPLACED,
  },
  advertisers: {
    // the replaced row has no description, type, brands or second account any more
    patch: [
      { id: 11, name: 'Eleven', accountId: 2 },
      { id: 12, name: 'Twelve', accountId: 1, brandNames: ['New'] },
    ],
    whole: [
      { id: 11, name: 'Eleven', accountId: 2 },
      ...rowsOf('advertisers').slice(1),
      { id: 12, name: 'Twelve', accountId: 1, brandNames: ['New'] },
    ],
    ...ONE_ADDED_ONE_REPLACED,
  },
  placements: {
    patch: [
      { id: 1, deleted: true },
      { id: 3, name: 'Cart', experiences: ['pla'], deleted: false },
    ],
    whole: [...rowsOf('placements').slice(1), { id: 3, name: 'Cart', experiences: ['pla'] }],
    added: 1,
    replaced: 0,
    removed: 1,
  },
  products: {
    // product 23 takes the UPC of the removed product 21, products 20 and 21 are of one advertiser
    patch: [
      { id: 21, deleted: true },
      { id: 23, advertiserId: 10, upc: '12', name: 'Barley' },
    ],
    whole: [...rowsOf('products').slice(1), { id: 23, advertiserId: 10, upc: '12', name: 'Barley' }],
    added: 1,
    replaced: 0,
    removed: 1,
  },
  campaigns: {
    patch: [{ id: 100, name: 'Summer', advertiserId: 10, status: 'ENDED', startDate: '2026-03-01' }],
    whole: [
      { id: 100, name: 'Summer', advertiserId: 10, status: 'ENDED', startDate: '2026-03-01' },
      ...rowsOf('campaigns').slice(1),
    ],
    added: 0,
    replaced: 1,
    removed: 0,
  },
  ad_groups: {
    patch: [
      { id: 1001, deleted: true },
      { id: 1002, name: 'New', campaignId: 100, status: 'DRAFT', productIds: [21] },
    ],
    whole: [
      ...rowsOf('ad_groups').slice(1),
      { id: 1002, name: 'New', campaignId: 100, status: 'DRAFT', productIds: [21] },
    ],
    added: 1,
    replaced: 0,
    removed: 1,
  },
  insertion_orders: {
    patch: [{ campaignId: 110, billings: 'Weekly' }],
    whole: [{ campaignId: 110, billings: 'Weekly' }],
    added: 1,
    replaced: 0,
    removed: 0,
  },
  users: { patch: USERS_PATCH, whole: PATCHED_USERS, added: 1, replaced: 1, removed: 1 },
  freshness: {
    patch: [
      { experience: 'pla', advertiserId: 11, deleted: true },
      { experience: 'pla', completeThrough: '2026-03-05' },
      { experience: 'toa', advertiserId: 11, completeThrough: '2026-02-01' },
    ],
    whole: [
      { experience: 'toa', completeThrough: '2026-02-28' },
      { experience: 'pla', completeThrough: '2026-03-05' },
      { experience: 'toa', advertiserId: 11, completeThrough: '2026-02-01' },
    ],
    added: 1,
    replaced: 1,
    removed: 1,
  },
};

/** The listings of BASE. */
export const PATCHED_LISTINGS = LISTING_FILES.filter((listing) => listing in BASE);

/** @returns a patch over the rows of BASE; if no other is stated, it removes the listing's first row */
export function patchOf(listing: ListingFile): Patch {
  const [first, ...others] = BASE[listing] ?? [];
  const [key] = Object.keys(first ?? {});
  const removal = [{ [key ?? '']: first?.[key ?? ''] ?? '', deleted: true }];
  return PATCHES[listing] ?? { patch: removal, whole: others, added: 0, replaced: 0, removed: 1 };
}
