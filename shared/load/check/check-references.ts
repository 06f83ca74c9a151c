import { LISTING_FILES, type ListingFile, listingColumns } from '../schema/file-columns.ts';
import type { Problems } from '../schema/problems.ts';
import type { Cell } from '../schema/value-types.ts';
import type { Network } from './network.ts';
import type { ParsedListing } from './parse-rows.ts';

type Row = Readonly<Record<string, Cell | undefined>>;

/** A column of ids and the listing that must contain them. */
interface Reference {
  readonly from: ListingFile;
  readonly column: string;
  readonly to: ListingFile;
}

/** Dangling references of these columns only warn: an ad group does not show a product that is no longer listed. */
const SOFT_REFERENCES: ReadonlySet<string> = new Set(['ad_groups.productIds']);

const REFERENCES: readonly Reference[] = LISTING_FILES.flatMap((from) =>
  listingColumns(from).flatMap(({ name, refers }) => {
    const to = LISTING_FILES.find((listing) => listing === refers);
    return to === undefined ? [] : [{ from, column: name, to }];
  }),
);

/**
 * Checks that every id that the folder's listings refer to exists, in the folder or loaded before, and that listings loaded before do not refer to ids
 * that a file of the folder removes.
 * @param network the rows as they will be after the load
 * @returns warnings
 */
export function checkReferences(
  network: Network,
  parsed: ReadonlyMap<ListingFile, ParsedListing>,
  problems: Problems,
): string[] {
  const warnings: string[] = [];
  for (const reference of REFERENCES) {
    const { from, column, to } = reference;
    const file = parsed.get(from);
    const target = parsed.get(to);
    if ((file === undefined && target === undefined) || isDamaged(target, problems)) continue;
    const known = idsOf(network, to);
    for (const [index, row] of rowsOf(network, from).entries()) {
      const line = file?.lines[index];
      for (const id of membersOf(row[column]).filter((member) => !known.has(member))) {
        if (file !== undefined && line !== undefined) {
          problems.add({ file: file.file, line, field: column, reason: `${id} is not among the ${to}` });
        } else if (target !== undefined && removes(target, id)) {
          const referrer = `${column} of ${from} ${row[idOf(from)]}`;
          if (SOFT_REFERENCES.has(`${from}.${column}`))
            warnings.push(`${target.file}: ${id} is missing, which is in ${referrer}`);
          else
            problems.add({
              file: target.file,
              line: target.patch?.deletedLines.get(id) ?? null,
              field: idOf(to),
              reason: `${id} is missing, which is ${referrer}; load ${from} with it`,
            });
        }
      }
    }
  }
  checkProducts(network, parsed.get('ad_groups'), problems);
  return warnings;
}

/** @returns whether ids of the file may be unknown because rows are damaged: then references to the file are not checked */
export function isDamaged(file: ParsedListing | undefined, problems: Problems): boolean {
  if (file === undefined) return false;
  return problems.isDamaged(file.file) || file.rows.some((row) => !(idOf(file.listing) in row));
}

/** @returns whether the id is missing because of the file. A whole listing lacks it; a patch names it. */
function removes({ patch }: ParsedListing, id: Cell): boolean {
  return patch === undefined || patch.deletedLines.has(id);
}

/** An ad group may only show products of its own advertiser. */
function checkProducts(network: Network, file: ParsedListing | undefined, problems: Problems): void {
  if (file === undefined) return;
  const advertiserOfCampaign = new Map(network.campaigns.map((campaign) => [campaign.id, campaign.advertiserId]));
  const advertiserOfProduct = new Map(network.products.map((product) => [product.id, product.advertiserId]));
  for (const [index, adGroup] of network.ad_groups.entries()) {
    const line = file.lines[index];
    if (line === undefined) continue;
    const advertiserId = advertiserOfCampaign.get(adGroup.campaignId);
    for (const id of adGroup.productIds ?? []) {
      const owner = advertiserOfProduct.get(id);
      if (advertiserId === undefined || owner === undefined || owner === advertiserId) continue;
      const reason = `${id} is a product of advertiser ${owner}, but the campaign belongs to ${advertiserId}`;
      problems.add({ file: file.file, line, field: 'productIds', reason });
    }
  }
}

function rowsOf(network: Network, listing: ListingFile): readonly Row[] {
  return network[listing] as readonly object[] as readonly Row[]; // every row is cells by column
}

function idsOf(network: Network, listing: ListingFile): ReadonlySet<Cell> {
  return new Set(rowsOf(network, listing).flatMap((row) => row[idOf(listing)] ?? []));
}

function idOf(listing: ListingFile): string {
  return listingColumns(listing)[0]?.name ?? '';
}

function membersOf(cell: Cell | undefined): readonly Cell[] {
  if (cell === undefined) return [];
  return typeof cell === 'object' ? cell : [cell];
}
