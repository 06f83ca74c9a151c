export const DELIVERY =
  'daily_date,hour,ad_group_id,placement_id,division_banner,keyword,entity_id,creative_key,impressions,clicks,cost,users';

/** The text of a delivery CSV file with these lines below its header. */
export const deliveryCsv = (...lines: string[]): string => [DELIVERY, ...lines, ''].join('\n');

/** The text of an NDJSON file with these rows. */
export const ndjson = (...rows: unknown[]): string => rows.map((row) => `${JSON.stringify(row)}\n`).join('');
