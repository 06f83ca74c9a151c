import type { CommitState, CommitWriter } from '../../store/commit/commits.ts';
import { readEncodedTables, writeEncodedTable } from '../../store/commit/encoded-tables.ts';
import { loadTableRef } from '../../store/table/item-keys.ts';
import type { Table } from '../../store/table/table.ts';
import type { AdGroupOwners, Network } from './known-network.ts';
import { packRows, unpackRows } from './pack-rows.ts';

/**
 * The advertisers of ad groups that were listed once and are no longer, by ascending id of the ad group. Their facts stay, so another advertiser must not list
 * those with facts later. They accumulate from load to load, so each takes 16 bytes, where an entry of a Map takes about 60.
 */
export interface DelistedAdGroups {
  readonly ids: Float64Array;
  readonly advertiserIds: Float64Array;
}

const REF = loadTableRef('gone/ad_groups');
const NAME = 'delisted ad groups';

/** @returns the advertiser of the ad group; undefined if it is not delisted */
export function ownerOfDelisted({ ids, advertiserIds }: DelistedAdGroups, id: number): number | undefined {
  let [from, to] = [0, ids.length];
  while (from < to) {
    const middle = (from + to) >>> 1; // < ids.length
    if ((ids[middle] as number) < id) from = middle + 1;
    else to = middle;
  }
  return ids[from] === id ? advertiserIds[from] : undefined;
}

/**
 * @param stored the delisted ad groups before the load
 * @param before the owners of the ad groups listed before the load
 * @returns the delisted ad groups after the load
 */
export function findDelisted(
  stored: DelistedAdGroups,
  before: AdGroupOwners,
  after: Pick<Network, 'ad_groups'>,
): DelistedAdGroups {
  const listed = new Set(after.ad_groups.map((row) => row.id));
  const added = [...before].filter(([id]) => !listed.has(id)).sort(([a], [b]) => a - b);
  const found = new DelistedWriter(stored.ids.length + added.length);
  let next = 0;
  stored.ids.forEach((id, index) => {
    for (let pair = added[next]; pair !== undefined && pair[0] < id; pair = added[++next]) found.add(pair);
    const isAdded = added[next]?.[0] === id; // it was listed again in between
    if (!isAdded && !listed.has(id)) found.add([id, stored.advertiserIds[index] as number]); // as long as ids
  });
  for (const pair of added.slice(next)) found.add(pair);
  return found.finish();
}

/** Replaces the stored delisted ad groups. */
export function writeDelisted(writer: CommitWriter, { ids, advertiserIds }: DelistedAdGroups): Promise<unknown> {
  const rowsOf = (start: number, end: number) =>
    Array.from(ids.subarray(start, end), (id, index) => [id, advertiserIds[start + index]]);
  return writeEncodedTable(writer, REF, packRows(ids.length, rowsOf));
}

/** @returns the stored delisted ad groups as of the state */
export async function readDelisted(table: Table, state: CommitState): Promise<DelistedAdGroups> {
  const [stored] = await readEncodedTables(table, [REF], state);
  const found = new DelistedWriter(stored?.rows ?? 0);
  for (const row of unpackRows(stored, NAME)) found.add(row as [number, number]); // as writeDelisted wrote it
  return found.finish();
}

class DelistedWriter {
  readonly #ids: Float64Array;
  readonly #advertiserIds: Float64Array;
  #count = 0;

  constructor(capacity: number) {
    this.#ids = new Float64Array(capacity);
    this.#advertiserIds = new Float64Array(capacity);
  }

  add([id, advertiserId]: readonly [number, number]): void {
    this.#ids[this.#count] = id;
    this.#advertiserIds[this.#count++] = advertiserId;
  }

  finish(): DelistedAdGroups {
    return { ids: this.#ids.subarray(0, this.#count), advertiserIds: this.#advertiserIds.subarray(0, this.#count) };
  }
}
