import { CUSTOM_FIELDS } from '../../../shared/catalog/custom-fields.ts';
import type { DimensionName } from '../../../shared/catalog/dimensions.ts';

/** The types that literals and comparisons distinguish. */
export type SqlType = 'text' | 'integer' | 'decimal' | 'amount' | 'date';

/** The part of a fact that determines a dimension's value. A metric is defined with some levels and undefined with others. */
export type Level =
  | 'date'
  | 'hour'
  | 'slice'
  | 'ad'
  | 'purchase'
  | 'ad group'
  | 'campaign'
  | 'advertiser'
  | 'experience';

interface SqlDimension {
  /** An SQL expression over the fact row `f` and the tables that JOINS joins to it. */
  readonly expression: string;
  readonly type: SqlType;
  readonly level: Level;
  /** Of a key of declarations, the tables that have it. */
  readonly tables?: readonly string[];
}

const text = (level: Level, expression: string): SqlDimension => ({ expression, type: 'text', level });
const amount = (level: Level, expression: string): SqlDimension => ({ expression, type: 'amount', level });
const integer = (level: Level, expression: string): SqlDimension => ({ expression, type: 'integer', level });
const date = (expression: string): SqlDimension => ({ expression, type: 'date', level: 'date' });

/** The dimensions in SQL; `openOracle` defines `week_of`. The level `slice` is placement, division banner and keyword, which market has; `ad` is entity and creative. */
export const DIMENSION_SQL: Readonly<Record<DimensionName, SqlDimension>> = {
  daily_date: date('f.day'),
  week_date: date('week_of(f.day)'),
  month_date: date("date_trunc('month', f.day)::DATE"),
  quarter_date: date("date_trunc('quarter', f.day)::DATE"),
  weekday: integer('date', 'isodow(f.day)'),
  hour: integer('hour', 'f.hour'),
  placement: text('slice', 'pl.name'),
  division_banner: text('slice', 'f.division_banner'),
  keyword: text('slice', 'f.keyword'),
  entity_id: text('ad', 'f.entity_id'),
  entity_name: text('ad', 'pr.name'),
  brand: text('ad', 'pr.brand'),
  department: text('ad', 'pr.department'),
  department_id: text('ad', 'pr.departmentId'),
  commodity: text('ad', 'pr.commodity'),
  commodity_id: text('ad', 'pr.commodityId'),
  sub_commodity: text('ad', 'pr.subCommodity'),
  sub_commodity_id: text('ad', 'pr.subCommodityId'),
  entity_group: text('ad', 'pr.entityGroup'),
  entity_group_id: text('ad', 'pr.entityGroupId'),
  creative_key: text('ad', 'f.creative_key'),
  creative_name: text('ad', 'cr.name'),
  match_type: text('ad', 'f.match_type'),
  search_term: text('ad', 'f.search_term'),
  conversion_source: text('purchase', 'f.conversion_source'),
  purchased_entity_id: text('purchase', 'f.purchased_entity_id'),
  purchased_entity_name: text('purchase', 'pp.name'),
  purchased_brand: text('purchase', 'pp.brand'),
  ad_group_id: integer('ad group', 'f.ad_group_id'),
  ad_group_name: text('ad group', 'ag.name'),
  ad_group_short_id: text('ad group', 'ag.shortId'),
  segment_ids: text('ad group', "array_to_string(list_sort(ag.segmentIds), ', ')"),
  campaign_id: integer('campaign', 'ca.id'),
  campaign_name: text('campaign', 'ca.name'),
  campaign_short_id: text('campaign', 'ca.shortId'),
  billings: text('campaign', 'io.billings'),
  purchase_order_number: text('campaign', 'io.purchaseOrderNumber'),
  io_name: text('campaign', 'io.ioName'),
  io_number: text('campaign', 'io.ioNumber'),
  io_total_amount: amount('campaign', 'io.ioTotalAmount'),
  io_remaining_amount: amount('campaign', 'io.ioRemainingAmount'),
  io_line_item_name: text('campaign', 'io.ioLineItemName'),
  io_line_item_number: text('campaign', 'io.ioLineItemNumber'),
  io_line_item_amount: amount('campaign', 'io.ioLineItemAmount'),
  advertiser_id: integer('advertiser', 'ad.id'),
  advertiser_name: text('advertiser', 'ad.name'),
  advertiser_type: text('advertiser', 'ad.advertiserType'),
  brand_names: text('advertiser', "array_to_string(list_sort(ad.brandNames), ', ')"),
  accounts: text('advertiser', 'ow.names'),
  primaryAccountName: text('advertiser', 'ow.primary_name'),
  experience_name: text('experience', 'f.experience'),
  ...customDimensions(),
};

/** @returns the dimensions of declarations */
function customDimensions(): Record<string, SqlDimension> {
  const listed = {
    campaigns: ['campaign', 'ca'],
    ad_groups: ['ad group', 'ag'],
    advertisers: ['advertiser', 'ad'],
  } as const;
  const others = {
    placements: ['slice', 'pl'],
    products: ['ad', 'pr'],
    'purchased products': ['purchase', 'pp'],
  } as const;
  const dimensions = Object.entries(CUSTOM_FIELDS.dimensions).map(([name, { of, tables, column = name }]) => {
    if (of === undefined) return [name, { ...text('ad', `f.${column}`), ...(tables && { tables }) }] as const;
    const [level, alias] = { ...listed, ...others }[of];
    return [name, text(level, `${alias}.${column}`)] as const;
  });
  return Object.fromEntries(dimensions);
}

/** The joins by alias, each after those it needs. Ids of campaigns and ad groups and keys of creatives are unique in the platform, UPCs per advertiser. */
const JOINS: ReadonlyMap<string, string> = new Map([
  ['ag', 'LEFT JOIN ad_groups ag ON ag.id = f.ad_group_id'],
  ['ca', 'LEFT JOIN campaigns ca ON ca.id = ag.campaignId'],
  ['io', 'LEFT JOIN insertion_orders io ON io.campaignId = ca.id'],
  ['ad', 'LEFT JOIN advertisers ad ON ad.id = f.advertiser_id'],
  ['ow', 'LEFT JOIN owners ow ON ow.advertiser_id = f.advertiser_id'],
  ['pl', 'LEFT JOIN placements pl ON pl.id = f.placement_id'],
  ['pr', 'LEFT JOIN products pr ON pr.advertiserId = f.advertiser_id AND pr.upc = f.entity_id'],
  ['pp', 'LEFT JOIN products pp ON pp.advertiserId = f.advertiser_id AND pp.upc = f.purchased_entity_id'],
  ['cr', 'LEFT JOIN creatives cr ON cr.key = f.creative_key'],
]);

/** @returns the joins in `always`, and those that the SQL fragments use */
export function joinsFor(fragments: readonly string[], always: readonly string[]): string {
  const used = (alias: string) =>
    always.includes(alias) || fragments.some((fragment) => new RegExp(`\\b${alias}\\.`).test(fragment));
  return [...JOINS].flatMap(([alias, join]) => (used(alias) ? [join] : [])).join('\n');
}

/** @returns a CTE with the names of the caller's accounts that own each advertiser; other accounts are not visible to the caller */
export function ownersSql(accountIds: readonly number[]): string {
  const mine = accountIds.length === 0 ? 'false' : `ac.id IN (${accountIds.join(', ')})`;
  return `owners AS (
    SELECT ad.id AS advertiser_id,
      (SELECT string_agg(ac.name, ', ' ORDER BY ac.name) FROM accounts ac WHERE list_contains(ad.accountIds, ac.id) AND ${mine}) AS names,
      (SELECT ac.name FROM accounts ac WHERE list_contains(ad.accountIds, ac.id) AND ${mine}
        ORDER BY ac.id = ad.accountId DESC, ac.id LIMIT 1) AS primary_name
    FROM advertisers ad)`;
}
