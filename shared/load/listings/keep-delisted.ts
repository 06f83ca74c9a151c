import type { ListingFile } from '../schema/file-columns.ts';
import { isListed } from './known-network.ts';
import { type CellRow, idKey, upcKey } from './parse-rows.ts';

/** The listings whose rows facts refer to, each with the ids that are kept of a deleted row. The first one becomes its name in reports. */
const KEPT_IDS: Readonly<Partial<Record<ListingFile, readonly string[]>>> = {
  advertisers: ['id', 'accountId', 'accountIds'],
  placements: ['id'],
  products: ['upc', 'id', 'advertiserId'],
  campaigns: ['id', 'advertiserId'],
  ad_groups: ['id', 'campaignId'],
  creatives: ['key', 'advertiserId'],
  insertion_orders: [],
};

/** @returns the rows of a new file, and after them the stored rows that it leaves out, archived */
export function replaceListing(listing: ListingFile, rows: readonly CellRow[], stored: readonly CellRow[]): CellRow[] {
  const left = KEPT_IDS[listing] === undefined ? [] : stored;
  const archived = left.map((row): CellRow => (isListed(row) ? { ...row, delisted: 'archived' } : row));
  return keepDelisted(listing, [...rows, ...archived]);
}

/** @returns what is kept of a deleted row; undefined if facts do not refer to the listing */
export function withoutNames(listing: ListingFile, row: CellRow): CellRow | undefined {
  const ids = Object.entries(row).filter(([column]) => [...(KEPT_IDS[listing] ?? []), 'idText'].includes(column));
  const [first = ''] = KEPT_IDS[listing] ?? [];
  const name = first === 'id' ? (row.idText ?? row.id) : row[first];
  return name === undefined ? undefined : { ...Object.fromEntries(ids), name: String(name), delisted: 'deleted' };
}

/** @returns the listed rows, and after them those delisted ones whose id, or UPC of the advertiser, is not listed */
export function keepDelisted(listing: ListingFile, rows: readonly CellRow[]): CellRow[] {
  const keysOf = (row: CellRow) => [idKey(listing, row), upcKey(listing, row)].flatMap((unique) => unique?.key ?? []);
  const listed = rows.filter(isListed);
  const taken = new Set(listed.flatMap(keysOf));
  return [...listed, ...rows.filter((row) => !isListed(row) && !keysOf(row).some((key) => taken.has(key)))];
}
