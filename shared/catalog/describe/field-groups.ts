import type { DimensionName } from '../dimensions.ts';
import type { MetricName } from '../metrics.ts';

/** The groups in which metrics are listed, in the order of display. */
const METRIC_GROUPS = {
  delivery: [
    'impressions',
    'clicks',
    'click_through_rate',
    'opportunities',
    'win_rate',
    'share_of_voice',
    'hours_live',
    'time_live',
  ],
  reach: ['unique_user_impressions', 'unique_user_conversions'],
  cost: ['cost', 'cost_per_click', 'cost_per_thousand', 'cost_per_transaction', 'pacing'],
  conversions: [
    'halo_transactions',
    'halo_exposed_transactions',
    'halo_units',
    'halo_exposed_units',
    'clicked_conversion_rate',
    'viewed_conversion_rate',
  ],
  revenue: [
    'halo_revenue',
    'halo_exposed_revenue',
    'halo_roas',
    'halo_exposed_roas',
    'clicked_order_value_avg',
    'viewed_order_value_avg',
    'clicked_unit_price_avg',
    'viewed_unit_price_avg',
  ],
  video: [
    'video_starts',
    'video_pauses',
    'video_first_quartile_views',
    'video_first_quartile_view_rate',
    'video_second_quartile_views',
    'video_second_quartile_view_rate',
    'video_third_quartile_views',
    'video_third_quartile_view_rate',
    'video_completes',
    'video_complete_view_rate',
    'video_view_through_rate',
    'video_total_duration',
    'video_average_duration_viewed',
  ],
  campaign: ['campaign_status', 'campaign_budget', 'campaign_budget_type', 'campaign_start_date', 'campaign_end_date'],
  'ad group': [
    'ad_group_status',
    'ad_group_budget',
    'ad_group_budget_type',
    'ad_group_start_date',
    'ad_group_end_date',
  ],
} as const satisfies Readonly<Record<string, readonly MetricName[]>>;

/** The groups in which dimensions are listed, in the order of display. */
const DIMENSION_GROUPS = {
  time: ['daily_date', 'week_date', 'month_date', 'hour'],
  campaign: ['campaign_name', 'campaign_id', 'campaign_short_id'],
  'ad group': ['ad_group_name', 'ad_group_id', 'ad_group_short_id', 'segment_ids'],
  placement: ['placement', 'keyword', 'division_banner', 'experience_name'],
  product: [
    'entity_name',
    'entity_id',
    'brand',
    'department',
    'department_id',
    'commodity',
    'commodity_id',
    'sub_commodity',
    'sub_commodity_id',
    'entity_group',
    'entity_group_id',
  ],
  purchase: ['purchased_entity_name', 'purchased_entity_id', 'conversion_source'],
  creative: ['creative_name', 'creative_key'],
  advertiser: ['advertiser_name', 'advertiser_id', 'advertiser_type', 'brand_names', 'accounts', 'primaryAccountName'],
  'insertion order': [
    'io_name',
    'io_number',
    'io_total_amount',
    'io_remaining_amount',
    'io_line_item_name',
    'io_line_item_number',
    'io_line_item_amount',
    'billings',
    'purchase_order_number',
  ],
} as const satisfies Readonly<Record<string, readonly DimensionName[]>>;

export type MetricGroup = keyof typeof METRIC_GROUPS;
export type DimensionGroup = keyof typeof DIMENSION_GROUPS;

/** @returns the metrics with their groups, in the order of display */
export function groupedMetrics(): (readonly [MetricName, MetricGroup])[] {
  return withGroups(METRIC_GROUPS);
}

/** @returns the dimensions with their groups, in the order of display */
export function groupedDimensions(): (readonly [DimensionName, DimensionGroup])[] {
  return withGroups(DIMENSION_GROUPS);
}

function withGroups<Name, Group extends string>(
  groups: Readonly<Record<Group, readonly Name[]>>,
): (readonly [Name, Group])[] {
  return (Object.entries(groups) as [Group, readonly Name[]][]) // keyof the same literal
    .flatMap(([group, names]) => names.map((name) => [name, group] as const));
}
