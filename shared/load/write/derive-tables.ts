import { formatBudgets } from '../../catalog/budget-history.ts';
import { isCustom } from '../../catalog/custom-fields.ts';
import type { DimensionTable } from '../../catalog/definitions.ts';
import { DIMENSION_COLUMNS } from '../../catalog/dimension-tables.ts';
import { encodeKeys } from '../../columns/coded-keys.ts';
import type { KeyValue } from '../../columns/column.ts';
import { compareKeys } from '../../columns/dictionary.ts';
import { compressFrame } from '../../columns/frame.ts';
import { type EncodedTable, PLATFORM_ID } from '../../layout/partitions.ts';
import { sortTexts } from '../../lib/compare-text.ts';
import { joinCampaigns, listedRows, type Network, ownersOf } from '../listings/known-network.ts';

/** A row of a dimension table, which may have members besides the table's columns. Texts and numbers are stored; anything else counts as null. */
type TableRow = Readonly<Record<string, unknown>>;

/** A dimension table. */
interface DerivedTable {
  readonly table: DimensionTable;
  /** `PLATFORM_ID` for the platform's tables. */
  readonly advertiserId: number;
  readonly rows: number;
  readonly encode: () => EncodedTable;
}

/** @returns all dimension tables that have rows, delisted ones among them, by `<table>#<advertiser id>` */
export function deriveTables(network: Network): Map<string, DerivedTable> {
  const { campaigns, ad_groups } = listedRows(network);
  const listed = new Set<TableRow>([...campaigns, ...ad_groups]);
  const mark = <R extends TableRow>(row: R, source: TableRow) => (listed.has(source) ? row : { ...row, archived: 1 });
  const budgetsOf = {
    campaigns: Map.groupBy(network.budgets, ({ campaignId }) => campaignId),
    adGroups: Map.groupBy(network.budgets, ({ adGroupId }) => adGroupId),
  };
  const adGroups = joinCampaigns(network).map((joined) => {
    const budgets = formatBudgets(budgetsOf.adGroups.get(joined.adGroup.id) ?? []);
    return mark({ ...adGroupRow(joined), budgets }, joined.adGroup);
  });
  const campaignRows = network.campaigns.map((campaign) => {
    return mark({ ...campaign, budgets: formatBudgets(budgetsOf.campaigns.get(campaign.id) ?? []) }, campaign);
  });
  const advertiserOf = new Map(network.campaigns.map((campaign) => [campaign.id, campaign.advertiserId]));
  const tables = [
    platformTable('accounts', network.accounts),
    platformTable('advertisers', network.advertisers.map(advertiserRow)),
    platformTable('placements', network.placements),
    platformTable('creatives', network.creatives),
    platformTable('freshness', network.freshness.map(freshnessRow)),
    ...perAdvertiser('campaigns', campaignRows, (campaign) => campaign.advertiserId),
    ...perAdvertiser('ad_groups', adGroups, (row) => advertiserOf.get(row.campaignId)),
    ...perAdvertiser('insertion_orders', network.insertion_orders, (order) => advertiserOf.get(order.campaignId)),
    ...perAdvertiser('products', network.products, (product) => product.advertiserId),
  ];
  return new Map(tables.filter(({ rows }) => rows > 0).map((table) => [`${table.table}#${table.advertiserId}`, table]));
}

function advertiserRow(advertiser: Network['advertisers'][number]): TableRow {
  const accountIds = ownersOf(advertiser).join(',');
  return { ...advertiser, brandNames: joinTexts(advertiser.brandNames), accountIds };
}

function adGroupRow({ adGroup, campaign }: ReturnType<typeof joinCampaigns>[number]) {
  return {
    ...adGroup,
    startDate: adGroup.startDate ?? campaign.startDate,
    endDate: adGroup.endDate ?? campaign.endDate,
    segmentIds: joinTexts(adGroup.segmentIds),
  };
}

function freshnessRow(freshness: Network['freshness'][number]): TableRow {
  const { experience, advertiserId = '', table } = freshness;
  return { ...freshness, key: `${experience}/${advertiserId}${table === undefined ? '' : `/${table}`}` };
}

/** @returns the list as one text: members sorted, joined by ", " */
function joinTexts(texts: readonly string[] | undefined): string | null {
  return texts === undefined ? null : sortTexts(texts).join(', ');
}

function platformTable(table: DimensionTable, rows: readonly TableRow[]): DerivedTable {
  return { table, advertiserId: PLATFORM_ID, rows: rows.length, encode: () => encodeTable(table, rows) };
}

function perAdvertiser<R extends TableRow>(
  table: DimensionTable,
  rows: readonly R[],
  advertiserOf: (row: R) => number | undefined,
): DerivedTable[] {
  return [...Map.groupBy(rows, advertiserOf)].flatMap(([advertiserId, own]) =>
    advertiserId === undefined ? [] : [{ ...platformTable(table, own), advertiserId }],
  );
}

/** The columns that a table is sorted by if that is not its key: in the keys of freshness, numbers are text. */
const SORTED_BY: Partial<Readonly<Record<DimensionTable, readonly string[]>>> = {
  freshness: ['experience', 'advertiserId', 'key'],
};

function encodeTable(table: DimensionTable, rows: readonly TableRow[]): EncodedTable {
  const by = SORTED_BY[table] ?? DIMENSION_COLUMNS[table].slice(0, 1);
  const sorted = rows.toSorted((a, b) => {
    return by.reduce((order, name) => order || compareKeys(cellOf(a, name), cellOf(b, name)), 0);
  });
  const custom = rows.flatMap((row) => Object.keys(row).filter(isCustom)); // also of fields that are not declared
  const columns = [...new Set<string>([...DIMENSION_COLUMNS[table], ...custom])].map(
    (name) => [name, compressFrame(encodeKeys(sorted.map((row) => cellOf(row, name))))] as const,
  );
  return { rows: rows.length, columns: new Map(columns) };
}

function cellOf(row: TableRow, name: string): KeyValue {
  const cell = row[name];
  return typeof cell === 'string' || typeof cell === 'number' ? cell : null;
}
