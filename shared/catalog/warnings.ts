/** Every warning code of reports, with what it means for the metric or the filtered field that the warning names. The OpenAPI document publishes them. */
export const WARNINGS = {
  NO_DATA_IN_PERIOD:
    'No day of the period has delivery, conversions or activity of any advertiser in the experience: metrics are null. `field` is daily_date.',
  MISSING_DAYS:
    'No advertiser has delivery on some days of the period before the latest day that has some: `detail` lists them, and the weeks and months that they are in. `field` is daily_date.',
  DAY_NOT_ENDED:
    'The period includes today, of which there is some data: its figures are of a part of the day, which pacing leaves out. With a compared period, they are compared with those of whole days. `field` is daily_date.',
  UNEQUAL_PERIODS:
    'The compared period has more or fewer days than the period, which changes of sums and of numbers of users are due to in part: `detail` has both numbers. `field` is daily_date.',
  TABLE_LACKS_DAYS:
    'Metrics of the report read conversions, activity or market, which some days of the period with delivery lack for any advertiser, between days that have it: `detail` names the days and the metrics. Or advertisers of the report have delivery after their last day of conversions or activity, while others have some, on more days than one and than before without a row: `detail` names them and that day. `field` is daily_date.',
  NOT_MEASURED:
    'Metrics of the report need a column that no file of some days had, or a table that the experience has only from a later day on or up to an earlier one, which is unknown, not 0: `detail` names column, days and metrics, and experiences and advertisers where only some lack it. They leave these days out, a ratio on both sides, and are null where no other day is left. `field` is daily_date; or a dimension of the report that a fact table lacks on some days: rows with a value of it leave these out, and the row without one has no ratio of two tables.',
  NO_ROWS:
    'The report has no rows, or its single row has no facts: `detail` names the filter that leaves none, with values that exist, or says that the advertisers have no such data. `field` is the filtered field, or daily_date.',
  METHOD_CHANGES:
    'The method by which figures are made changes within the period, or between it and the compared one: `detail` has the days, and `meta.attribution` that of the last day. `field` is daily_date.',
  PARTIAL_UNIT:
    'The first or last week, month or quarter of the report has days outside the period: its figures are of the others only. `field` is the dimension.',
  NOT_IN_EXPERIENCE: 'The metric is undefined in this experience: it is null in every row.',
  NOT_IN_ALL_EXPERIENCES:
    'The metric is undefined in some experiences of the report: it covers the others, and is null in rows of these alone.',
  NOT_AT_THIS_GRAIN:
    'The metric is undefined when a report groups or filters by the dimensions in `drop`: it is null in every row.',
  SEVERAL_AD_GROUPS: 'The attribute is null in rows that have facts of more than one ad group.',
  SEVERAL_CAMPAIGNS: 'The attribute is null in rows that have facts of more than one campaign.',
  WITHOUT_USER_IDS:
    'The metric leaves out impressions or transactions of rows that were loaded without user ids, and is null where no row has any: `detail` states how many.',
  FEW_USERS:
    'Some numbers of users are null because they are small: above 0, and less than the number that `detail` states. So is what is divided or compared with them.',
  SHARED_NAME:
    'Rows or filters have one name for several campaigns, ad groups, advertisers, creatives, placements, products, departments, commodities, entity groups or insertion orders: `detail` has an example, and the id that tells them apart. `field` is the dimension.',
  CAMPAIGN_BUDGETS_LEFT_OUT:
    'The metric leaves out campaigns with one budget for all their ad groups, because the report separates ad groups of the same campaign.',
  PLAN_OF_IDLE:
    'The metric includes the plan of ad groups or campaigns that are PAUSED, or still SCHEDULED after their start: `detail` names them and the amount.',
  DATA_ENDS_EARLIER:
    'Some advertisers have delivery after the last day with complete data, and the metric does not count the plan and cost of these days: `detail` has the last day that it counts.',
  PART_OF_THE_MARKET:
    'The metric covers only a part of the report’s impressions, which `detail` states: it leaves out hours of a placement, division banner and keyword with too few other advertisers, or without figures of the market.',
  NO_OWN_IMPRESSIONS:
    'The metric is null in every row: it compares only where the report’s advertisers have impressions, and they have none.',
  NO_TOTAL_WITH_METRIC_FILTER:
    'The metric is null in the totals: market impressions cannot be restricted to the rows that pass a metric filter.',
  VALUE_CANNOT_OCCUR:
    'A filter compares the field with a value that it can never have. `detail` names the possible values, and the one that was probably meant.',
  VALUE_NOT_FOUND:
    'A filter compares the field with a text that the facts of the report have only in another case, white space or composition, or `conversion_source` with a text that they do not have; `detail` names the text that differs only so, or lists all texts that they have. Or one of several values, or a value to exclude, matches nothing: `detail` names it.',
  EMPTY_RANGE: 'A filter with BETWEEN selects nothing, because its first value is above its second.',
} as const satisfies Readonly<Record<string, string>>;
export type WarningCode = keyof typeof WARNINGS;
