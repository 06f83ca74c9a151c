/** Every warning that a report may bear, by its code, with what it says of the metric it names. Closed, and published in the OpenAPI document. */
export const WARNINGS = {
  NOT_IN_EXPERIENCE: 'The metric has no meaning in this experience: it is null in every row.',
  NOT_AT_THIS_GRAIN:
    'The metric has no meaning by the dimensions in `drop`, which the report groups or filters by: it is null in every row.',
  SEVERAL_AD_GROUPS: 'The attribute is null in rows that have facts of more than one ad group.',
  SEVERAL_CAMPAIGNS: 'The attribute is null in rows that have facts of more than one campaign.',
  CAMPAIGN_BUDGETS_LEFT_OUT:
    'The metric leaves out campaigns that have one budget for all ad groups wherever the report tells ad groups of a campaign apart.',
  DATA_ENDS_EARLIER:
    'The metric counts the planned days of some advertisers up to the day only through which their data is complete, but the cost of later days as well.',
  NO_TOTAL_WITH_METRIC_FILTER:
    'The metric is null in the totals: rows that are chosen by their result have no market that they are a share of.',
} as const satisfies Readonly<Record<string, string>>;
export type WarningCode = keyof typeof WARNINGS;
