import { keysOf } from '../lib/keys-of.ts';
import { CUSTOM_METRICS } from './custom-metrics.ts';
import { attribute, count, money, ratio } from './define-metrics.ts';
import type { MetricDefinition } from './definitions.ts';
import { ungroup } from './ungroup.ts';

const BUDGET_TYPES_TEXT = 'DAILY, WEEKLY, MONTHLY or LIFETIME.';

const PRODUCTS = { Direct: 'the advertised product', Other: 'other products' } as const;
const KNOWN = 'Null where no purchased product is known.';

/** @returns title and description of a metric of what was bought of the advertised product, or of others */
function textsOf(part: keyof typeof PRODUCTS, what: string, isExposed = false): [title: string, description: string] {
  const [after, cause] = isExposed ? ['click or view', 'a click or an impression'] : ['click', 'a click'];
  return [`${part} ${what} (${after})`, `Purchases of ${PRODUCTS[part]}: ${what} attributed to ${cause}. ${KNOWN}`];
}

/** The metrics by group, in the order of display. */
export const METRIC_GROUPS = {
  delivery: {
    impressions: { ...count('impressions', 'Impressions', 'Times the ad was shown.'), aliases: ['views', 'imps'] },
    clicks: count('clicks', 'Clicks', 'Clicks on the ad.'),
    click_through_rate: {
      ...ratio('clicks', 'impressions', 'fraction', 'Click-through rate', 'Clicks / impressions.'),
      aliases: ['ctr'],
    },
    opportunities: {
      ...count('opportunities', 'Opportunities', 'Auctions or page views in which the ad could have been shown.'),
      aliases: ['requests', 'auctions'],
    },
    win_rate: ratio('impressions', 'opportunities', 'fraction', 'Win rate', 'Impressions / opportunities.'),
    share_of_voice: {
      kind: 'share',
      title: 'Share of voice',
      description:
        'Own impressions / impressions of all advertisers, in slices (placement, division_banner, keyword) in which the report’s advertisers have impressions. Groups and filters on date, hour and slice narrow both sides; all others narrow only the own impressions. Hours of a slice with too few other advertisers are left out on both sides; a warning states which part is covered.',
      type: 'decimal',
      unit: 'fraction',
      aliases: ['sov', 'share', 'impression share'],
    },
    hours_live: {
      kind: 'sum',
      measure: 'live_seconds',
      divisor: 3600,
      title: 'Hours live',
      description: 'Ad-group hours live: ten ad groups that are live all day add up to 240.',
      type: 'decimal',
      unit: 'hours',
    },
    time_live: ratio('live_seconds', 'scheduled_seconds', 'fraction', 'Time live', 'Seconds live / seconds scheduled.'),
  },
  reach: {
    unique_user_impressions: {
      kind: 'distinct',
      table: 'delivery',
      title: 'Unique users reached',
      description:
        'Distinct users that were shown an impression, over the whole period of the report, at the requested grain; never a sum of parts.',
      type: 'integer',
      unit: 'users',
      aliases: ['reach', 'users', 'uniques'],
    },
    frequency: {
      ...ratio(
        'impressions',
        { shoppersOf: 'delivery' },
        'ratio',
        'Frequency',
        'Impressions of rows with user ids / unique users reached.',
      ),
      aliases: ['average frequency', 'impressions per user'],
    },
    unique_user_conversions: {
      kind: 'distinct',
      table: 'conversions',
      title: 'Unique converting users',
      description:
        'Distinct users with at least one exposed transaction (attributed to a click or an impression), over the whole period of the report, at the requested grain; never a sum of parts.',
      type: 'integer',
      unit: 'users',
      aliases: ['buyers', 'converters'],
    },
  },
  cost: {
    cost: {
      ...money('cost', 'Cost', 'What the advertiser is charged for delivery.'),
      aliases: ['spend', 'ad spend', 'costs'],
    },
    cost_per_click: { ...ratio('cost', 'clicks', 'currency', 'Cost per click', 'Cost / clicks.'), aliases: ['cpc'] },
    cost_per_thousand: {
      ...ratio('cost', 'impressions', 'currency', 'Cost per thousand impressions', '1000 × cost / impressions.', 1000),
      aliases: ['cpm'],
    },
    cost_per_transaction: {
      ...ratio(
        'cost',
        'halo_transactions',
        'currency',
        'Cost per transaction',
        'Cost / transactions attributed to a click.',
      ),
      aliases: ['cpa', 'cpo', 'acquisition cost'],
    },
    planned_cost: {
      kind: 'planned',
      title: 'Planned cost',
      description:
        'The budgets of the ad groups, or the campaign’s budget until the first of its ad groups has one, for the days that are in the period of the report and in the flight, up to the day through which the advertiser’s data is complete. LIFETIME: (budget − what was planned before it) × days / days left in the flight, at least 0 (no end date: no plan); DAILY: budget × days; WEEKLY: budget × days / 7; MONTHLY: per month, budget × days / days of the month. DRAFT, UNDER_REVIEW and FAILED plan nothing. Only reports with planned_cost or pacing have rows of what was planned but not delivered.',
      type: 'decimal',
      unit: 'currency',
      aliases: ['budgeted cost', 'target spend'],
    },
    remaining_planned_cost: {
      kind: 'remaining',
      title: 'Remaining planned cost',
      description:
        'planned_cost − the cost of the ad groups and campaigns that have a plan, on days whose cost is known; negative where they cost more. Has the rows that pacing has.',
      type: 'decimal',
      unit: 'currency',
      aliases: ['remaining budget', 'underspend'],
    },
    pacing: {
      kind: 'pacing',
      title: 'Pacing',
      description:
        'Cost / planned_cost, of the ad groups and campaigns that have a plan, delivered or not, on days whose cost is known; divided once. Only reports with planned_cost or pacing have rows of what was planned but not delivered.',
      type: 'decimal',
      unit: 'fraction',
    },
  },
  conversions: {
    halo_transactions: {
      ...count('halo_transactions', 'Transactions (click)', 'Transactions attributed to a click.'),
      aliases: ['conversions', 'orders', 'purchases'],
    },
    halo_exposed_transactions: {
      ...count(
        'halo_exposed_transactions',
        'Transactions (click or view)',
        'Exposed transactions: attributed to a click or an impression (view) of the ad.',
      ),
      aliases: ['conversions', 'orders', 'purchases'],
    },
    halo_units: count('halo_units', 'Units (click)', 'Units of any product attributed to a click.'),
    halo_exposed_units: count(
      'halo_exposed_units',
      'Units (click or view)',
      'Exposed units: of any product, attributed to a click or an impression (view) of the ad.',
    ),
    direct_transactions: count('direct_transactions', ...textsOf('Direct', 'transactions')),
    direct_exposed_transactions: count('direct_exposed_transactions', ...textsOf('Direct', 'transactions', true)),
    direct_units: count('direct_units', ...textsOf('Direct', 'units')),
    direct_exposed_units: count('direct_exposed_units', ...textsOf('Direct', 'units', true)),
    other_transactions: count('other_transactions', ...textsOf('Other', 'transactions')),
    other_exposed_transactions: count('other_exposed_transactions', ...textsOf('Other', 'transactions', true)),
    other_units: count('other_units', ...textsOf('Other', 'units')),
    other_exposed_units: count('other_exposed_units', ...textsOf('Other', 'units', true)),
    clicked_conversion_rate: {
      ...ratio(
        'halo_transactions',
        'clicks',
        'fraction',
        'Clicked conversion rate',
        'Transactions attributed to a click / clicks.',
      ),
      aliases: ['cvr', 'conversion rate'],
    },
    viewed_conversion_rate: ratio(
      'halo_exposed_transactions',
      'impressions',
      'fraction',
      'Viewed conversion rate',
      'Exposed transactions / impressions. Exposed: attributed to a click or an impression.',
    ),
  },
  revenue: {
    halo_revenue: {
      ...money('halo_revenue', 'Revenue (click)', 'Revenue of any product attributed to a click.'),
      aliases: ['sales', 'revenue'],
    },
    halo_exposed_revenue: {
      ...money(
        'halo_exposed_revenue',
        'Revenue (click or view)',
        'Exposed revenue: of any product, attributed to a click or an impression (view) of the ad.',
      ),
      aliases: ['sales', 'revenue'],
    },
    halo_roas: {
      ...ratio('halo_revenue', 'cost', 'ratio', 'Return on ad spend (click)', 'Revenue attributed to a click / cost.'),
      aliases: ['roas', 'roi', 'return'],
    },
    acos: {
      ...ratio(
        'cost',
        'halo_revenue',
        'fraction',
        'Advertising cost of sales',
        'Cost / revenue attributed to a click.',
      ),
      aliases: ['cost of sales'],
    },
    halo_exposed_roas: {
      ...ratio(
        'halo_exposed_revenue',
        'cost',
        'ratio',
        'Return on ad spend (click or view)',
        'Exposed revenue / cost. Exposed: attributed to a click or an impression.',
      ),
      aliases: ['roas', 'roi', 'return'],
    },
    direct_revenue: money('direct_revenue', ...textsOf('Direct', 'revenue')),
    direct_exposed_revenue: money('direct_exposed_revenue', ...textsOf('Direct', 'revenue', true)),
    other_revenue: money('other_revenue', ...textsOf('Other', 'revenue')),
    other_exposed_revenue: money('other_exposed_revenue', ...textsOf('Other', 'revenue', true)),
    direct_roas: ratio(
      'direct_revenue',
      'cost',
      'ratio',
      'Direct return on ad spend (click)',
      `Direct revenue / cost. ${KNOWN}`,
    ),
    clicked_order_value_avg: {
      ...ratio(
        'halo_revenue',
        'halo_transactions',
        'currency',
        'Average clicked order value',
        'Revenue / transactions, both attributed to a click.',
      ),
      aliases: ['aov', 'order value'],
    },
    viewed_order_value_avg: ratio(
      'halo_exposed_revenue',
      'halo_exposed_transactions',
      'currency',
      'Average viewed order value',
      'Exposed revenue / exposed transactions. Exposed: attributed to a click or an impression.',
    ),
    clicked_unit_price_avg: ratio(
      'halo_revenue',
      'halo_units',
      'currency',
      'Average clicked unit price',
      'Revenue / units, both attributed to a click.',
    ),
    viewed_unit_price_avg: ratio(
      'halo_exposed_revenue',
      'halo_exposed_units',
      'currency',
      'Average viewed unit price',
      'Exposed revenue / exposed units. Exposed: attributed to a click or an impression.',
    ),
  },
  video: {
    video_starts: count('video_starts', 'Video starts', 'Times the video began to play.'),
    video_pauses: count('video_pauses', 'Video pauses', 'Times the video was paused.'),
    video_first_quartile_views: count(
      'video_first_quartile_views',
      'Video first quartile views',
      'Times a quarter of the video was played.',
    ),
    video_first_quartile_view_rate: ratio(
      'video_first_quartile_views',
      'video_starts',
      'fraction',
      'Video first quartile view rate',
      'First quartile views / video starts.',
    ),
    video_second_quartile_views: count(
      'video_second_quartile_views',
      'Video second quartile views',
      'Times half of the video was played.',
    ),
    video_second_quartile_view_rate: ratio(
      'video_second_quartile_views',
      'video_starts',
      'fraction',
      'Video second quartile view rate',
      'Second quartile views / video starts.',
    ),
    video_third_quartile_views: count(
      'video_third_quartile_views',
      'Video third quartile views',
      'Times three quarters of the video were played.',
    ),
    video_third_quartile_view_rate: ratio(
      'video_third_quartile_views',
      'video_starts',
      'fraction',
      'Video third quartile view rate',
      'Third quartile views / video starts.',
    ),
    video_completes: count('video_completes', 'Video completes', 'Times the video played to its end.'),
    video_complete_view_rate: {
      ...ratio(
        'video_completes',
        'video_starts',
        'fraction',
        'Video complete view rate',
        'Video completes / video starts.',
      ),
      aliases: ['vcr', 'completion rate'],
    },
    video_view_through_rate: {
      ...ratio(
        'video_completes',
        'impressions',
        'fraction',
        'Video view-through rate',
        'Video completes / impressions.',
      ),
      aliases: ['vtr'],
    },
    video_total_duration: {
      kind: 'sum',
      measure: 'video_total_duration',
      title: 'Video time viewed',
      description: 'Seconds of video viewed, over all starts.',
      type: 'decimal',
      unit: 'seconds',
    },
    video_average_duration_viewed: ratio(
      'video_total_duration',
      'video_starts',
      'seconds',
      'Average video time viewed',
      'Seconds of video viewed / video starts.',
    ),
  },
  viewability: {
    measurable_impressions: count(
      'measurable_impressions',
      'Measurable impressions',
      'Impressions whose viewability could be measured.',
    ),
    viewable_impressions: count(
      'viewable_impressions',
      'Viewable impressions',
      'Impressions that were viewable: half of the pixels for a second, of moving pictures for two (MRC), unless the operator’s method says otherwise.',
    ),
    measurable_rate: ratio(
      'measurable_impressions',
      'impressions',
      'fraction',
      'Measurable rate',
      'Measurable impressions / impressions.',
    ),
    viewable_rate: {
      ...ratio(
        'viewable_impressions',
        'measurable_impressions',
        'fraction',
        'Viewable rate',
        'Viewable impressions / measurable impressions.',
      ),
      aliases: ['viewability', 'viewability rate'],
    },
    viewable_cost_per_thousand: {
      ...ratio(
        'cost',
        'viewable_impressions',
        'currency',
        'Cost per thousand viewable impressions',
        '1000 × cost / viewable impressions.',
        1000,
      ),
      aliases: ['vcpm'],
    },
  },
  'new to brand': {
    new_to_brand_transactions: {
      ...count(
        'new_to_brand_transactions',
        'New-to-brand transactions',
        'Transactions attributed to a click, of buyers who had not bought the brand for some time.',
      ),
      aliases: ['ntb', 'new customers'],
    },
    new_to_brand_units: count('new_to_brand_units', 'New-to-brand units', 'Units of these transactions.'),
    new_to_brand_revenue: money('new_to_brand_revenue', 'New-to-brand revenue', 'Revenue of these transactions.'),
    new_to_brand_rate: ratio(
      'new_to_brand_transactions',
      'halo_transactions',
      'fraction',
      'New-to-brand rate',
      'New-to-brand transactions / transactions attributed to a click.',
    ),
    new_to_brand_revenue_share: ratio(
      'new_to_brand_revenue',
      'halo_revenue',
      'fraction',
      'New-to-brand revenue share',
      'New-to-brand revenue / revenue attributed to a click.',
    ),
    cost_per_new_to_brand_transaction: ratio(
      'cost',
      'new_to_brand_transactions',
      'currency',
      'Cost per new-to-brand transaction',
      'Cost / new-to-brand transactions.',
    ),
  },
  campaign: {
    campaign_status: attribute('campaign', 'status', 'Campaign status', 'DRAFT, SCHEDULED, ACTIVE, PAUSED or ENDED.'),
    campaign_budget: attribute(
      'campaign',
      'budget',
      'Campaign budget',
      'Budget of the campaign, in the period of its budget type.',
    ),
    campaign_budget_type: attribute('campaign', 'budgetType', 'Campaign budget type', BUDGET_TYPES_TEXT),
    campaign_start_date: attribute(
      'campaign',
      'startDate',
      'Campaign start date',
      'First day of the campaign’s flight.',
    ),
    campaign_end_date: attribute('campaign', 'endDate', 'Campaign end date', 'Last day of the campaign’s flight.'),
  },
  'ad group': {
    ad_group_status: attribute(
      'ad_group',
      'status',
      'Ad group status',
      'DRAFT, SCHEDULED, ACTIVE, PAUSED, ENDED, UNDER_REVIEW or FAILED.',
    ),
    ad_group_budget: attribute(
      'ad_group',
      'budget',
      'Ad group budget',
      'Budget of the ad group, in the period of its budget type.',
    ),
    ad_group_budget_type: attribute('ad_group', 'budgetType', 'Ad group budget type', BUDGET_TYPES_TEXT),
    ad_group_start_date: attribute(
      'ad_group',
      'startDate',
      'Ad group start date',
      'First day of the ad group’s flight.',
    ),
    ad_group_end_date: attribute('ad_group', 'endDate', 'Ad group end date', 'Last day of the ad group’s flight.'),
  },
  custom: CUSTOM_METRICS,
} as const satisfies Readonly<Record<string, Readonly<Record<string, MetricDefinition>>>>;

export const METRICS = ungroup(METRIC_GROUPS);
export type MetricName = keyof typeof METRICS;

/** The names of the metrics, in the order of display. */
export const METRIC_NAMES = keysOf(METRICS);

/** @returns the definition of the metric, as the general type */
export function metricOf(name: MetricName): MetricDefinition {
  return METRICS[name];
}

export function isMetric(name: string): name is MetricName {
  return Object.hasOwn(METRICS, name);
}
