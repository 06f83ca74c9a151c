import { LISTING_FILES, type ListingFile, listingColumns } from '../schema/file-columns.ts';
import { formatProblem, type Problem, type Problems } from '../schema/problems.ts';
import type { Cell } from '../schema/value-types.ts';
import type { Network } from './known-network.ts';
import type { ParsedListing } from './parse-rows.ts';

type Row = Readonly<Record<string, Cell | undefined>>;

/** A column of ids and the listing that must contain them. */
interface Reference {
  readonly from: ListingFile;
  readonly column: string;
  readonly to: ListingFile;
}

/** In rows loaded before, dangling references of these columns only warn: an ad group does not show a product that is no longer listed. */
const SOFT_REFERENCES: ReadonlySet<string> = new Set(['ad_groups.productIds']);

const REFERENCES: readonly Reference[] = LISTING_FILES.flatMap((from) =>
  listingColumns(from).flatMap(({ name, refers }) => {
    const to = LISTING_FILES.find((listing) => listing === refers);
    return to === undefined ? [] : [{ from, column: name, to }];
  }),
);

/** Rows that were loaded before and refer to ids that a file of the folder removes. */
interface Removal {
  readonly reference: Reference;
  readonly file: ParsedListing;
  /** The removed ids that rows refer to. */
  readonly ids: Set<Cell>;
  /** The rows that refer to them. */
  readonly rows: Set<Row>;
}

/** What is wrong with references to ids that the folder removes. */
interface RemovalProblems {
  readonly problems: readonly Problem[];
  readonly warnings: readonly string[];
}

/**
 * Checks that every id that the folder's listings refer to exists after the load, and that rows loaded before do not refer to ids that a file of the folder
 * removes; and that ad groups of the folder show no products of other advertisers. References to a file with damaged rows are not checked.
 * @param network the rows as they will be after the load
 * @param problems gets the problems of the folder's own rows
 * @returns the problems and warnings of rows loaded before, one for each listing and column
 */
export function checkReferences(
  network: Network,
  parsed: ReadonlyMap<ListingFile, ParsedListing>,
  problems: Problems,
): RemovalProblems {
  const removals: Removal[] = [];
  for (const reference of REFERENCES) {
    const { from, column, to } = reference;
    const file = parsed.get(from);
    const target = parsed.get(to);
    if ((file === undefined && target === undefined) || isDamaged(target, problems)) continue;
    const known = idsOf(network, to);
    const removal = target && { reference, file: target, ids: new Set<Cell>(), rows: new Set<Row>() };
    for (const [index, row] of rowsOf(network, from).entries()) {
      const place = file?.places[index];
      for (const id of membersOf(row[column]).filter((member) => !known.has(member))) {
        if (place !== undefined) {
          problems.add({ ...place, field: column, reason: `${id} is not among the ${to}` });
        } else if (removal !== undefined && removes(removal.file, id)) {
          removal.ids.add(id);
          removal.rows.add(row);
        }
      }
    }
    if (removal !== undefined && removal.ids.size > 0) removals.push(removal);
  }
  checkProducts(network, parsed.get('ad_groups'), problems);
  const { soft = [], hard = [] } = Object.groupBy(removals, (removal) => (warnsOnly(removal) ? 'soft' : 'hard'));
  return {
    problems: hard.map(describeRemoval),
    warnings: soft.map((removal) => formatProblem(describeRemoval(removal))),
  };
}

function warnsOnly({ reference: { from, column } }: Removal): boolean {
  return SOFT_REFERENCES.has(`${from}.${column}`);
}

/** How many of the removed ids a problem lists. */
const MAX_LISTED_IDS = 5;

function describeRemoval(removal: Removal): Problem {
  const { reference, file, ids, rows } = removal;
  const { from, column, to } = reference;
  const [id = ''] = ids;
  const [row] = rows;
  const isSoft = warnsOnly(removal);
  const place = (isSoft ? undefined : file.patch?.deleted.get(id)) ?? { file: file.file, line: null };
  const advice = isSoft ? '' : `; load ${from} with it`;
  if (rows.size === 1 && ids.size === 1) {
    const referrer = `${isSoft ? 'in ' : ''}${column} of ${from} ${row?.[idOf(from)]}`;
    const reason = `${id} is missing, which is ${referrer}${advice}`;
    return { ...place, field: isSoft ? null : idOf(to), reason };
  }
  const sorted = [...ids].sort((a, b) => (a < b ? -1 : 1));
  const listed = `${sorted.slice(0, MAX_LISTED_IDS).join(', ')}${ids.size > MAX_LISTED_IDS ? ', …' : ''}`;
  const count = `${rows.size.toLocaleString('en-US')} ${rows.size === 1 ? 'row' : 'rows'} of ${from}`;
  const refer = `${rows.size === 1 ? 'refers' : 'refer'} in ${column}`;
  const reason = `${count} ${refer} to ${to} that this file removes: ${listed}${advice}`;
  return { ...place, field: null, reason };
}

/** @returns whether ids of the file may be unknown because rows are damaged: then references to the file are not checked */
export function isDamaged(file: ParsedListing | undefined, problems: Problems): boolean {
  if (file === undefined) return false;
  return file.files.some((name) => problems.isDamaged(name)) || file.rows.some((row) => !(idOf(file.listing) in row));
}

/** @returns whether the id is missing because of the file: a patch deletes it, or the file is the whole listing and lacks it */
function removes({ patch }: ParsedListing, id: Cell): boolean {
  return patch === undefined || patch.deleted.has(id);
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
