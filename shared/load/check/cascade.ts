import { measureOf } from '../../catalog/tables.ts';
import { readMeasureHeader } from '../../columns/measures.ts';
import { daysIn } from '../../layout/partitions.ts';
import type { CommitState } from '../../store/commit/commits.ts';
import { openSegmentSource } from '../../store/segment-source.ts';
import type { Table } from '../../store/table/table.ts';
import type { Network } from '../listings/known-network.ts';
import type { AppliedPatch, ParsedListing } from '../listings/parse-rows.ts';
import { LISTING_FILES, type ListingFile } from '../schema/file-columns.ts';
import { partitionsOf } from './check-owners.ts';
import type { PartitionDays } from './replacement.ts';

const NO_PATCH: AppliedPatch = { deleted: new Map(), cascades: new Set(), warnings: [] };

/** The advertisers that a patch removes with all that is theirs, and the number of rows that go, by listing. */
export interface Cascade {
  readonly ids: ReadonlySet<number>;
  readonly rows: ReadonlyMap<string, number>;
}

/**
 * Removes the stored rows that belong to the advertisers that a patch removes with `cascade`. Rows of the folder stay, so that their references are reported.
 */
export function removeOwned(listings: Map<ListingFile, ParsedListing>, before: Network): Cascade {
  const { patch: { cascades } = NO_PATCH, file = '' } = listings.get('advertisers') ?? {};
  const ids = new Set<unknown>(cascades);
  const rows = new Map<string, number>();
  const campaignIds = new Set<unknown>(before.campaigns.filter((row) => ids.has(row.advertiserId)).map(({ id }) => id));
  const adGroupIds = new Set<unknown>(
    before.ad_groups.filter((row) => campaignIds.has(row.campaignId)).map(({ id }) => id),
  );
  for (const listing of ids.size === 0 ? [] : LISTING_FILES) {
    const stored = before[listing];
    const parsed = listings.get(listing) ?? { listing, file, files: [], rows: stored, places: [], patch: NO_PATCH };
    const owned = parsed.rows.filter(({ advertiserId, campaignId, adGroupId }, index) => {
      const isOwned = ids.has(advertiserId) || campaignIds.has(campaignId) || adGroupIds.has(adGroupId);
      return parsed.places[index] === undefined && isOwned;
    });
    if (owned.length === 0) continue;
    rows.set(listing, owned.length);
    const left = new Set(owned);
    listings.set(listing, {
      ...parsed,
      rows: parsed.rows.filter((row) => !left.has(row)),
      places: parsed.rows.flatMap((row, index) => (left.has(row) ? [] : [parsed.places[index]])),
    });
  }
  return { ids: cascades, rows };
}

/** @returns all days with facts of the advertisers, and a summary of them: days, rows and cost by experience and table */
export async function findOwnedDays(ids: ReadonlySet<number>, table: Table, state: CommitState) {
  const source = openSegmentSource(table, state);
  const manifests = await source.manifests(await partitionsOf(source, [...ids]));
  const emptied = manifests.map(({ ref, runs }): PartitionDays => ({ ref, days: daysIn(runs).map(({ day }) => day) }));
  const summary: string[] = [];
  for (const [name, months] of Map.groupBy(manifests, ({ ref }) => `${ref.experience} ${ref.table}`)) {
    const days = months.flatMap(({ runs }) => daysIn(runs));
    const rows = days.reduce((sum, day) => sum + day.rows, 0);
    let cost = 0;
    for await (const { columns } of source.runs(months.map((month) => ({ ...month, columns: ['cost'] })))) {
      const bytes = columns.get('cost');
      if (bytes !== undefined) cost += readMeasureHeader(bytes, name).sum;
    }
    const costs = cost === 0 ? '' : `, cost ${cost / measureOf('cost').scale}`;
    summary.push(`${name}: days ${days.length}, rows ${rows}${costs}`);
  }
  return { emptied, summary };
}
