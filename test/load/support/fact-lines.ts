const DELIVERY =
  'daily_date,hour,ad_group_id,placement_id,division_banner,keyword,entity_id,creative_key,impressions,clicks,cost,users';

const CONVERSIONS =
  'daily_date,hour,ad_group_id,halo_transactions,halo_exposed_transactions,halo_revenue,halo_exposed_revenue';

/** The text of a delivery CSV file with these lines below its header. */
export const deliveryCsv = (...lines: string[]): string => textOf([DELIVERY, ...lines]);

/** The text of a conversions CSV file with these lines below its header. */
export const conversionsCsv = (...lines: string[]): string => textOf([CONVERSIONS, ...lines]);

/** The text of an NDJSON file with these rows; strings are lines as they are. */
export const ndjson = (...rows: unknown[]): string =>
  textOf(rows.map((row) => (typeof row === 'string' ? row : JSON.stringify(row))));

/** The key columns that delivery and activity require. */
export const REQUIRED_KEYS = { daily_date: '2026-03-01', hour: 0, ad_group_id: 1000 };

const textOf = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');
