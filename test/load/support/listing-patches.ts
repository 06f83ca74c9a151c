import { LISTING_FILES, type ListingFile } from '../../../shared/load/schema/file-columns.ts';
import type { LoadRow } from '../../real/write-folder.ts';
import { type FolderRows, NETWORK } from './network-rows.ts';

/** @returns the rows of the listing in the network */
export const rowsOf = (listing: ListingFile): readonly LoadRow[] => NETWORK[listing] ?? [];

export const NEW_USER = { userId: 'u-new', name: 'Nina', userType: 'CPG', accountIds: [2] };
export const CHANGED_USER = { userId: 'u-agency', name: 'Agnes B.', userType: 'AGENCY', accountIds: [1] };
export const USERS_PATCH = [NEW_USER, CHANGED_USER, { userId: 'u-cpg', deleted: true }];
export const PATCHED_USERS = [CHANGED_USER, NEW_USER];

/** The network without insertion orders, so that their patch only adds, and with a creative that remains when `k1` is removed. */
export const BASE: FolderRows = {
  ...NETWORK,
  insertion_orders: [],
  creatives: [...rowsOf('creatives'), { key: 'k2', name: 'Film', advertiserId: 11 }],
};

/** Patches over the rows of BASE. */
const PATCHES: Partial<Readonly<Record<ListingFile, readonly LoadRow[]>>> = {
  accounts: [
    { id: 3, name: 'Gamma' },
    { id: 2, name: 'Beta' },
  ],
  // the replaced row keeps its second account and type, and has no description and brands any more
  advertisers: [
    { id: 11, name: 'Eleven', description: '', brandNames: [] },
    { id: 12, name: 'Twelve', accountId: 1, brandNames: ['New'] },
  ],
  placements: [
    { id: 1, deleted: true },
    { id: 3, name: 'Cart', experiences: ['pla'], deleted: false },
  ],
  // product 23 takes the UPC of the removed product 21, products 20 and 21 are of one advertiser
  products: [
    { id: 21, deleted: true },
    { id: 23, advertiserId: 10, upc: '12', name: 'Barley' },
  ],
  campaigns: [{ id: 100, name: 'Summer', advertiserId: 10, status: 'ENDED', startDate: '2026-03-01' }],
  ad_groups: [
    { id: 1001, deleted: true },
    { id: 1002, name: 'New', campaignId: 100, status: 'DRAFT', productIds: [21] },
  ],
  budgets: [
    { validFrom: '2026-03-05', campaignId: 110, deleted: true },
    { validFrom: '2026-03-20', adGroupId: 1000, budget: '80' },
    { validFrom: '2026-03-05', adGroupId: 1000, budget: '1', budgetType: 'DAILY' },
  ],
  insertion_orders: [{ campaignId: 110, billings: 'Weekly' }],
  users: USERS_PATCH,
  freshness: [
    { experience: 'pla', advertiserId: 11, deleted: true },
    { experience: 'pla', completeThrough: '2026-03-05' },
    { experience: 'toa', advertiserId: 11, completeThrough: '2026-02-01' },
  ],
};

/** The listings of BASE. */
export const PATCHED_LISTINGS = LISTING_FILES.filter((listing) => listing in BASE);

/** @returns what identifies the row in its listing: its first value; of freshness and budgets, also whose it is */
const keyOf = (row: LoadRow | undefined): string => {
  const [first] = Object.values(row ?? {});
  if (row?.validFrom !== undefined) return [first, row.campaignId ?? '', row.adGroupId ?? ''].join();
  return [first, row?.experience === undefined ? '' : row.advertiserId].join();
};

/**
 * @returns a patch over the rows of BASE, which removes the listing's first row if none is stated; the whole listing that has the same rows as the patched
 * one; and how many rows the patch adds, replaces and removes
 */
export function patchOf(listing: ListingFile) {
  const base = BASE[listing] ?? [];
  const [[key, id] = ['', '']] = Object.entries(base[0] ?? {});
  const patch: readonly LoadRow[] = PATCHES[listing] ?? [{ [key]: id, deleted: true }];
  const listed = patch.filter((row) => row.deleted !== true).map(({ deleted: _, ...row }): LoadRow => row);
  const patchedRow = new Map(patch.map((row) => [keyOf(row), listed.filter((other) => keyOf(other) === keyOf(row))]));
  const mergedRows = (row: LoadRow) => patchedRow.get(keyOf(row))?.map((changed) => ({ ...row, ...changed })) ?? [row];
  const baseKeys = new Set(base.map(keyOf));
  const added = listed.filter((row) => !baseKeys.has(keyOf(row)));
  const whole = [...base.flatMap(mergedRows), ...added];
  const replaced = listed.length - added.length;
  return { patch, whole, added: added.length, replaced, removed: patch.length - listed.length };
}
