import type { DimensionName } from '../../../shared/catalog/dimensions.ts';
import type { MetricName } from '../../../shared/catalog/metrics.ts';

/** A report that a retail media team would build over SQL, with what its SQL needs. */
export interface PeerReport {
  readonly name: string;
  readonly dimensions: readonly DimensionName[];
  readonly metrics: readonly MetricName[];
  readonly filters?: readonly {
    readonly field: DimensionName;
    readonly operator: 'CONTAINS';
    readonly values: string[];
  }[];
}

const SUMS = ['impressions', 'clicks', 'cost', 'halo_transactions', 'halo_revenue'] as const satisfies MetricName[];

export const REPORTS: readonly PeerReport[] = [
  { name: 'by campaign and day', dimensions: ['campaign_id', 'daily_date'], metrics: SUMS },
  { name: 'by placement and banner', dimensions: ['placement', 'division_banner'], metrics: SUMS },
  {
    name: 'by keyword, filtered',
    dimensions: ['keyword'],
    metrics: SUMS,
    filters: [{ field: 'keyword', operator: 'CONTAINS', values: ['a'] }],
  },
  {
    name: 'by product and purchased product',
    dimensions: ['entity_id', 'purchased_entity_id'],
    metrics: ['halo_transactions', 'halo_revenue'],
  },
  { name: 'uniques by campaign', dimensions: ['campaign_id'], metrics: ['impressions', 'unique_user_impressions'] },
  { name: 'by hour', dimensions: ['hour'], metrics: SUMS },
];

export type Dialect = 'DuckDB' | 'PostgreSQL';

/** The tables of the peers. Money is in micros, so that sums are exact. */
export const TABLES = {
  campaigns: 'id BIGINT PRIMARY KEY, advertiser_id BIGINT, name TEXT',
  ad_groups: 'id BIGINT PRIMARY KEY, campaign_id BIGINT',
  placements: 'id BIGINT PRIMARY KEY, placement TEXT',
  delivery:
    'daily_date DATE, hour INTEGER, ad_group_id BIGINT, placement_id BIGINT, division_banner TEXT, keyword TEXT, entity_id TEXT, impressions BIGINT, clicks BIGINT, cost BIGINT, users TEXT[]',
  conversions:
    'daily_date DATE, hour INTEGER, ad_group_id BIGINT, placement_id BIGINT, division_banner TEXT, keyword TEXT, entity_id TEXT, purchased_entity_id TEXT, halo_transactions BIGINT, halo_revenue BIGINT',
};

/** The indexes that one would make: a report reads some advertisers' ad groups in a period. */
export const INDEXES = ['delivery', 'conversions'].flatMap((table) => [
  `CREATE INDEX ON ${table} (ad_group_id, daily_date)`,
  `CREATE INDEX ON ${table} (daily_date)`,
]);

const OF_DELIVERY: readonly MetricName[] = ['impressions', 'clicks', 'cost'];

export interface PeerRequest {
  readonly report: number;
  readonly startDate: string;
  readonly endDate: string;
  /** What filters contain; default: a. */
  readonly letter?: string | undefined;
}

/** @param index one of REPORTS @returns the report whose filter contains the letter */
export function reportOf(index: number, letter = 'a'): PeerReport {
  const { filters = [], ...report } = REPORTS[index] as PeerReport; // requests come from REPORTS
  return { ...report, filters: filters.map((filter) => ({ ...filter, values: [letter] })) };
}

/** @returns one statement whose only value is the JSON body: 100 rows, the number of all, and totals, of the advertisers alone */
export function sqlOf(
  dialect: Dialect,
  { report, startDate, endDate, letter }: PeerRequest,
  advertiserIds: readonly number[],
) {
  const { dimensions, metrics, filters = [] } = reportOf(report, letter);
  const by = dimensions.join(', ');
  const where = [
    `daily_date BETWEEN DATE '${startDate}' AND DATE '${endDate}'`,
    ...filters.map(({ field, values }) => `${field} ILIKE '%${values[0]}%'`),
  ].join(' AND ');
  const facts = (table: string) => `${table} JOIN own ON own.id = ad_group_id WHERE ${where}`;
  const sum = (name: string) => `CAST(sum(${name}) AS BIGINT) AS ${name}`;
  const own = `own AS (SELECT ad_groups.id, campaign_id FROM ad_groups JOIN campaigns ON campaigns.id = campaign_id
    WHERE advertiser_id IN (${advertiserIds.join(', ')}))`;
  const page = `page AS (SELECT * FROM grouped ORDER BY ${metrics[0]} DESC, ${by} LIMIT 100)`;
  if (metrics.includes('unique_user_impressions')) {
    return select(dialect, [
      own,
      `facts AS MATERIALIZED (SELECT ${by}, impressions, users FROM ${facts('delivery')})`,
      `people AS MATERIALIZED (SELECT DISTINCT ${by}, unnest(users) AS person FROM facts)`,
      `counted AS (SELECT ${by}, count(person) AS unique_user_impressions FROM people GROUP BY ${by})`,
      `summed AS (SELECT ${by}, ${sum('impressions')} FROM facts GROUP BY ${by})`,
      `grouped AS MATERIALIZED (SELECT * FROM summed LEFT JOIN counted USING (${by}))`,
      page,
      `totals AS (SELECT ${sum('impressions')}, (SELECT count(DISTINCT person) FROM people) AS unique_user_impressions FROM facts)`,
    ]);
  }
  const keys = dimensions.map((name) => (name === 'placement' ? 'placement_id' : name)).join(', '); // names are joined to groups
  const names = dimensions.includes('placement') ? 'LEFT JOIN placements ON placements.id = placement_id' : '';
  const part = (table: string, ofTable: (name: MetricName) => boolean) => {
    const sums = metrics.map((name) => (ofTable(name) ? sum(name) : `0 AS ${name}`));
    return `SELECT ${keys}, ${sums.join(', ')} FROM ${facts(table)} GROUP BY ${keys}`;
  };
  const parts = [
    ...(metrics.some((name) => OF_DELIVERY.includes(name))
      ? [part('delivery', (name) => OF_DELIVERY.includes(name))]
      : []),
    part('conversions', (name) => !OF_DELIVERY.includes(name)),
  ];
  return select(dialect, [
    own,
    `parts AS (${parts.join(' UNION ALL ')})`,
    `grouped AS MATERIALIZED (SELECT ${by}, ${metrics.map(sum).join(', ')} FROM parts ${names} GROUP BY ${by})`,
    page,
    `totals AS (SELECT ${metrics.map(sum).join(', ')} FROM grouped)`,
  ]);
}

function select(dialect: Dialect, tables: readonly string[]): string {
  const [object, list, row] =
    dialect === 'DuckDB'
      ? ['json_object', 'json_group_array(to_json(page))', 'to_json(totals)']
      : ['json_build_object', 'json_agg(page)', 'row_to_json(totals)'];
  return `WITH ${tables.join(', ')}
    SELECT CAST(${object}('data', (SELECT ${list} FROM page), 'totalCount', (SELECT count(*) FROM grouped),
      'totals', (SELECT ${row} FROM totals)) AS VARCHAR) AS body`;
}
