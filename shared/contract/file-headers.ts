/** The headers of CSV and Arrow responses, with what the JSON body contains besides the rows. */
export const FILE_HEADERS = {
  totalCount: 'X-Total-Count',
  nextOffset: 'Endcap-Next-Offset',
  totals: 'Endcap-Totals',
  dataCompleteThrough: 'Endcap-Data-Complete-Through',
  dataVersion: 'Endcap-Data-Version',
  timezone: 'Endcap-Time-Zone',
  currency: 'Endcap-Currency',
  attribution: 'Endcap-Attribution',
  warnings: 'Endcap-Warnings',
  warningsOmitted: 'Endcap-Warnings-Omitted',
} as const;

/** The header with a warning for each query parameter that is unknown and therefore ignored. */
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
