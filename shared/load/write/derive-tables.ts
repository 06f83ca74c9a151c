import type { DimensionTable } from '../../catalog/definitions.ts';
import { DIMENSION_COLUMNS } from '../../catalog/dimension-rows.ts';
import type { EncodedTable } from '../../catalog/partitions.ts';
import type { KeyValue } from '../../columns/column.ts';
import { compareKeys } from '../../columns/dictionary.ts';
import { compressFrame } from '../../columns/frame.ts';
import { encodeKeys } from '../../columns/keys.ts';
import { sortTexts } from '../../lib/compare-text.ts';
import { joinCampaigns, type Network, ownersOf } from '../check/network.ts';

/** A row of a joined table: its columns as stored, absent = null. */
type TableRow = Readonly<Record<string, KeyValue | undefined>>;

/** A table that facts are joined with. */
export interface DerivedTable {
  readonly table: DimensionTable;
  /** 0 for the platform's tables. */
  readonly advertiserId: number;
  readonly encode: () => EncodedTable;
}

/** @returns all joined tables that have rows, by table and advertiser. */
export function deriveTables(network: Network): Map<string, DerivedTable> {
  const { accounts, advertisers, placements, campaigns, creatives, products } = network;
  const advertiserOf = new Map(campaigns.map((campaign) => [campaign.id, campaign.advertiserId]));
  const tables = [
    ...perAdvertiser(
      'accounts',
      accounts,
      () => 0,
      ({ id, name }) => ({ id, name }),
    ),
    ...perAdvertiser('advertisers', advertisers, () => 0, advertiserRow),
    ...perAdvertiser(
      'placements',
      placements,
      () => 0,
      ({ id, name }) => ({ id, name }),
    ),
    ...perAdvertiser(
      'campaigns',
      campaigns,
      (campaign) => campaign.advertiserId,
      (campaign) => campaign,
    ),
    ...perAdvertiser('ad_groups', joinCampaigns(network), (row) => row.campaign.advertiserId, adGroupRow),
    ...perAdvertiser(
      'creatives',
      creatives,
      () => 0,
      (creative) => creative,
    ),
    ...perAdvertiser(
      'insertion_orders',
      network.insertion_orders,
      (order) => advertiserOf.get(order.campaignId),
      (order) => order,
    ),
    ...perAdvertiser(
      'products',
      products,
      (product) => product.advertiserId,
      ({ id: _id, available: _available, ...row }) => row,
    ),
    ...perAdvertiser('freshness', network.freshness, () => 0, freshnessRow),
  ];
  return new Map(tables.map((table) => [`${table.table}#${table.advertiserId}`, table]));
}

function advertiserRow(advertiser: Network['advertisers'][number]): TableRow {
  const { id, name, advertiserType, brandNames, accountId } = advertiser;
  return {
    id,
    name,
    advertiserType,
    brandNames: joinTexts(brandNames),
    accountId,
    accountIds: ownersOf(advertiser).join(','),
  };
}

function adGroupRow({ adGroup, campaign }: ReturnType<typeof joinCampaigns>[number]): TableRow {
  const { segmentIds, productIds: _productIds, ...row } = adGroup;
  return {
    ...row,
    startDate: adGroup.startDate ?? campaign.startDate,
    endDate: adGroup.endDate ?? campaign.endDate,
    segmentIds: joinTexts(segmentIds),
  };
}

function freshnessRow(freshness: Network['freshness'][number]): TableRow {
  return { ...freshness, key: `${freshness.experience}/${freshness.advertiserId ?? ''}` };
}

/** @returns the list as one text: members sorted, joined by ", " */
function joinTexts(texts: readonly string[] | undefined): string | null {
  return texts === undefined ? null : sortTexts(texts).join(', ');
}

function perAdvertiser<R>(
  table: DimensionTable,
  rows: readonly R[],
  advertiserOf: (row: R) => number | undefined,
  toRow: (row: R) => TableRow,
): DerivedTable[] {
  const owned = Map.groupBy(rows, (row) => advertiserOf(row));
  return [...owned].flatMap(([advertiserId, own]) =>
    advertiserId === undefined ? [] : [{ table, advertiserId, encode: () => encodeTable(table, own.map(toRow)) }],
  );
}

/** The columns that a table is sorted by if that is not its key: in the keys of freshness, numbers are text. */
const SORTED_BY: Partial<Readonly<Record<DimensionTable, readonly string[]>>> = {
  freshness: ['experience', 'advertiserId'],
};

function encodeTable(table: DimensionTable, rows: readonly TableRow[]): EncodedTable {
  const by = SORTED_BY[table] ?? DIMENSION_COLUMNS[table].slice(0, 1);
  const sorted = rows.toSorted((a, b) => {
    return by.reduce((order, name) => order || compareKeys(a[name] ?? null, b[name] ?? null), 0);
  });
  const columns = DIMENSION_COLUMNS[table].map(
    (name) => [name, compressFrame(encodeKeys(sorted.map((row) => row[name] ?? null)))] as const,
  );
  return { rows: rows.length, columns: new Map(columns) };
}
