import type { DimensionName } from '../dimensions.ts';
import type { MetricName } from '../metrics.ts';

/** Other words for fields, in lower case, including other platforms' names. */
const WORDS: Partial<Readonly<Record<MetricName | DimensionName, readonly string[]>>> = {
  clicked_conversion_rate: ['cvr', 'conversion rate'],
  clicked_order_value_avg: ['aov', 'order value'],
  click_through_rate: ['ctr'],
  cost: ['spend', 'ad spend', 'costs'],
  cost_per_click: ['cpc'],
  cost_per_thousand: ['cpm'],
  cost_per_transaction: ['cpa', 'cpo', 'acquisition cost'],
  halo_revenue: ['sales', 'revenue'],
  halo_exposed_revenue: ['sales', 'revenue'],
  halo_roas: ['roas', 'roi', 'return'],
  halo_exposed_roas: ['roas', 'roi', 'return'],
  halo_transactions: ['conversions', 'orders', 'purchases'],
  halo_exposed_transactions: ['conversions', 'orders', 'purchases'],
  impressions: ['views', 'imps'],
  opportunities: ['requests', 'auctions'],
  share_of_voice: ['sov', 'share', 'impression share'],
  unique_user_impressions: ['reach', 'users', 'uniques'],
  unique_user_conversions: ['buyers', 'converters'],
  video_complete_view_rate: ['vcr', 'completion rate'],
  video_view_through_rate: ['vtr'],
  daily_date: ['date', 'day', 'days'],
  week_date: ['week', 'weeks'],
  month_date: ['month', 'months'],
  hour: ['hours', 'hour of day'],
  campaign_name: ['campaign', 'campaigns'],
  ad_group_name: ['ad group', 'ad groups', 'adgroup'],
  advertiser_name: ['advertiser', 'brand owner'],
  creative_name: ['creative', 'ad'],
  placement: ['position', 'slot'],
  division_banner: ['banner', 'store', 'division'],
  keyword: ['search term', 'query'],
  entity_name: ['product', 'item', 'product name'],
  entity_id: ['upc', 'sku', 'product id'],
  purchased_entity_name: ['purchased product', 'halo product'],
  purchased_entity_id: ['purchased upc'],
  department: ['category'],
  segment_ids: ['audience', 'segment'],
};

const ALIASES = new Map(Object.entries(WORDS));

/** @returns other words for the field, in lower case, with spaces */
export function aliasesOf(field: MetricName | DimensionName): readonly string[] {
  return ALIASES.get(field) ?? [];
}

/** @returns the fields that have the word, in lower case, as an alias */
export function fieldsFor(word: string): readonly string[] {
  return [...ALIASES].flatMap(([field, words]) => (words.includes(word) ? [field] : []));
}
