/** The headers of CSV and Arrow responses. Listings have only the first two. */
export const FILE_HEADERS = {
  totalCount: 'X-Total-Count',
  nextOffset: 'Endcap-Next-Offset',
  totals: 'Endcap-Totals',
  comparedTotals: 'Endcap-Compared-Totals',
  compared: 'Endcap-Compared',
  period: 'Endcap-Period',
  data: 'Endcap-Data',
  dataCompleteThrough: 'Endcap-Data-Complete-Through',
  dataFinalThrough: 'Endcap-Data-Final-Through',
  dataVersion: 'Endcap-Data-Version',
  dataUpdatedAt: 'Endcap-Data-Updated-At',
  timezone: 'Endcap-Time-Zone',
  currency: 'Endcap-Currency',
  attribution: 'Endcap-Attribution',
  warnings: 'Endcap-Warnings',
  warningsOmitted: 'Endcap-Warnings-Omitted',
} as const;

/** The header with warnings about the first query parameters that are unknown and therefore ignored, at most three. */
export const PARAMETER_WARNINGS = 'Endcap-Parameter-Warnings';

/** All response headers that a page of another origin must be able to read: the value of Access-Control-Expose-Headers. */
export const EXPOSED_HEADERS: readonly string[] = [
  ...Object.values(FILE_HEADERS),
  PARAMETER_WARNINGS,
  'Link',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'x-request-id',
];
