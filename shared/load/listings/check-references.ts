import { ALL_ACCOUNTS } from '../../layout/partitions.ts';
import { LISTING_FILES, type ListingFile, listingColumns } from '../schema/file-columns.ts';
import { explainUnknownId, MAX_EXAMPLES, type Problem, type Problems } from '../schema/problems.ts';
import type { Cell } from '../schema/value-types.ts';
import { isKnown, isListed, type Network } from './known-network.ts';
import type { ParsedListing } from './parse-rows.ts';

type Row = Readonly<Record<string, Cell | undefined>>;

/** A column of ids and the listing that must contain them. */
interface Reference {
  readonly from: ListingFile;
  readonly column: string;
  readonly to: ListingFile;
}

const REFERENCES: readonly Reference[] = LISTING_FILES.flatMap((from) =>
  listingColumns(from).flatMap(({ name, refers }) => {
    const to = LISTING_FILES.find((listing) => listing === refers);
    return to === undefined ? [] : [{ from, column: name, to }];
  }),
);

/**
 * Checks that every id that the folder's listings refer to exists after the load, and that listed rows loaded before do not refer to ids that a file of the
 * folder removes, except ad groups to products, which they then no longer show, and budgets, which then count no more; and that ad groups of the folder show no products of other advertisers.
 * References to a file with damaged rows are not checked.
 * @param after the rows as they will be after the load
 * @param problems get those of the folder's own rows
 * @returns the problems of rows loaded before, one for each listing and column
 */
export function checkReferences(
  { before, after: network }: { readonly before: Network; readonly after: Network },
  parsed: ReadonlyMap<ListingFile, ParsedListing>,
  problems: Problems,
): Problem[] {
  const storedProducts = new Set<Cell | undefined>(before.ad_groups.map(({ productIds }) => productIds)); // a patch keeps the list itself
  const removals: Problem[] = [];
  for (const { from, column, to } of REFERENCES) {
    const file = parsed.get(from);
    const target = parsed.get(to);
    if ((file === undefined && target === undefined) || isDamaged(target, problems)) continue;
    const known = idsOf(network, to);
    const deleted = idsOf(network, to, (row) => !isKnown(row));
    const removed = new Set<Cell>();
    let rows = 0;
    for (const [index, row] of rowsOf(network, from).entries()) {
      if (!isListed(row)) continue;
      const place = file?.places[index];
      const missing = membersOf(row[column]).filter((member) => member !== ALL_ACCOUNTS && !known.has(member));
      if (to === 'products' && storedProducts.has(row[column])) continue;
      if (place !== undefined) {
        for (const id of missing)
          problems.add({ ...place, field: column, reason: explainUnknownId(id, to, deleted.has(id)) });
      } else if (missing.length > 0 && from !== 'budgets') {
        rows++;
        for (const id of missing) removed.add(id);
      }
    }
    const sorted = [...removed].sort((a, b) => (a < b ? -1 : 1));
    const [first] = sorted;
    if (target === undefined || first === undefined) continue;
    const listed = `${sorted.slice(0, MAX_EXAMPLES).join(', ')}${sorted.length > MAX_EXAMPLES ? ', …' : ''}`;
    const refer = rows === 1 ? `1 row of ${from} refers` : `${rows.toLocaleString('en-US')} rows of ${from} refer`;
    const reason = `${refer} in ${column} to ${to} that this file removes: ${listed}; load ${from} with it`;
    const place = target.patch?.deleted.get(first) ?? { file: target.file, line: null };
    removals.push({ ...place, field: null, reason });
  }
  checkProducts(network, parsed.get('ad_groups'), problems);
  return removals;
}

/** @returns whether ids of the file may be unknown because rows are damaged: then references to the file are not checked */
export function isDamaged(file: ParsedListing | undefined, problems: Problems): boolean {
  if (file === undefined) return false;
  return file.files.some((name) => problems.isDamaged(name)) || file.rows.some((row) => !(idOf(file.listing) in row));
}

/** An ad group may only show products of its own advertiser. */
function checkProducts(network: Network, file: ParsedListing | undefined, problems: Problems): void {
  if (file === undefined) return;
  const advertiserOfCampaign = new Map(network.campaigns.map((campaign) => [campaign.id, campaign.advertiserId]));
  const advertiserOfProduct = new Map(network.products.map((product) => [product.id, product.advertiserId]));
  for (const [index, adGroup] of network.ad_groups.entries()) {
    const place = file.places[index];
    if (place === undefined) continue;
    const advertiserId = advertiserOfCampaign.get(adGroup.campaignId);
    for (const id of adGroup.productIds ?? []) {
      const owner = advertiserOfProduct.get(id);
      if (advertiserId === undefined || owner === undefined || owner === advertiserId) continue;
      const reason = `${id} is a product of advertiser ${owner}, but the campaign belongs to ${advertiserId}`;
      problems.add({ ...place, field: 'productIds', reason });
    }
  }
}

function rowsOf(network: Network, listing: ListingFile): readonly Row[] {
  return network[listing];
}

function idsOf(network: Network, listing: ListingFile, isWanted = isKnown): ReadonlySet<Cell> {
  return new Set(rowsOf(network, listing).flatMap((row) => (isWanted(row) ? (row[idOf(listing)] ?? []) : [])));
}

function idOf(listing: ListingFile): string {
  return listingColumns(listing)[0]?.name ?? '';
}

function membersOf(cell: Cell | undefined): readonly Cell[] {
  if (cell === undefined) return [];
  return typeof cell === 'object' ? cell : [cell];
}
