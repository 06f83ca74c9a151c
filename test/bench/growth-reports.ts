import type { ReportQuery } from '../../shared/report/query.ts';

export const ROWS_A_DAY = 33_333;

/** Few groups, tens of thousands, and hundreds of thousands. */
export const GROWTH_REPORTS = [
  { dimensions: ['hour'], sort: [] },
  { dimensions: ['ad_group_id', 'keyword'], sort: [{ field: 'cost', order: 'DESC' }] },
  { dimensions: ['entity_id', 'placement', 'division_banner', 'hour'], sort: [{ field: 'cost', order: 'DESC' }] },
] as const satisfies readonly Pick<ReportQuery, 'dimensions' | 'sort'>[];
