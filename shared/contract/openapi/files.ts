import { keysOf } from '../../lib/keys-of.ts';
import { FILE_HEADERS } from '../header-names.ts';

const CSV_DESCRIPTION =
  'CSV (RFC 4180) in UTF-8, with a header line. Texts are in quotation marks, numbers, dates and booleans are not, null is empty (`""` in a file of one column). ' +
  'With `compare`, each metric is followed by its value in the compared period and, if it is numeric, its changes: `cost_before`, `cost_change`, `cost_relative_change`. ' +
  '`Accept: text/csv;header=bom` adds a byte order mark; `;formulas=escaped` writes an apostrophe before texts that a spreadsheet would calculate.';

type FileHeader = keyof typeof FILE_HEADERS;

const DESCRIPTIONS: Readonly<Record<FileHeader, readonly [description: string, example: string]>> = {
  totalCount: ['Number of items or rows on all pages.', '2'],
  nextOffset: ['Offset of the next page, if there is one.', '100'],
  totals: ['The `totals` of the report, as JSON in ASCII.', '{"impressions":64000,"cost":790.75}'],
  comparedTotals: [
    'The `comparedTotals` of the report, as JSON in ASCII, with `compare`.',
    '{"impressions":60000,"cost":700.5}',
  ],
  compared: [
    '`meta.compared`, as JSON in ASCII, with `compare`.',
    '{"startDate":"2026-02-16","endDate":"2026-02-22","data":{"from":"2025-12-02","through":"2026-03-01","missingDays":[],"missingDayCount":0,"gaps":[],"gapDayCount":0,"tables":[]}}',
  ],
  period: ['`meta.period`, as JSON in ASCII.', '{"startDate":"2026-02-23","endDate":"2026-03-01"}'],
  data: [
    '`meta.data`, as JSON in ASCII.',
    '{"from":"2025-12-02","through":"2026-03-01","missingDays":[],"missingDayCount":0,"gaps":[],"gapDayCount":0,"tables":[]}',
  ],
  dataCompleteThrough: ['`meta.dataCompleteThrough`; missing if it is null.', '2026-03-01'],
  dataFinalThrough: ['`meta.dataFinalThrough`; missing if it is null.', '2026-02-26'],
  dataVersion: ['`meta.dataVersion`.', '7c9e6679f2a14b3d'],
  dataUpdatedAt: ['`meta.dataUpdatedAt`; missing if it is null.', '2026-03-02T06:12:09.417Z'],
  timezone: ['`meta.timezone`.', 'America/New_York'],
  currency: ['`meta.currency`.', 'USD'],
  attribution: ['`meta.attribution`, as JSON in ASCII.', '{"windowDays":14,"basis":"conversion day"}'],
  warnings: [
    '`meta.warnings`, as JSON in ASCII; if they are too long for a header, without `detail`, or also without `message`, `dates` and `things`.',
    '[]',
  ],
  warningsOmitted: ['Number of warnings that did not fit into the header above, if there are any.', '3'],
};

const LISTING: readonly FileHeader[] = ['totalCount', 'nextOffset'];
const REPORT = keysOf(FILE_HEADERS);

/** The headers of files as components of the OpenAPI document. */
export const FILE_HEADER_COMPONENTS = Object.fromEntries(
  REPORT.map((name) => {
    const [description, example] = DESCRIPTIONS[name];
    return [
      componentOf(name),
      { description: `With CSV and Arrow: ${description}`, schema: { type: 'string' }, example },
    ];
  }),
);

/** @returns the headers of a response that is available as a file */
export function fileHeaders(kind: 'listing' | 'report'): Record<string, { readonly $ref: string }> {
  const names = kind === 'listing' ? LISTING : REPORT;
  const refs = names.map(
    (name) => [FILE_HEADERS[name], { $ref: `#/components/headers/${componentOf(name)}` }] as const,
  );
  return { Vary: { $ref: '#/components/headers/Vary' }, ...Object.fromEntries(refs) };
}

/**
 * @returns the contents of a response by media type, besides JSON, as an extension: with several media types, typed clients cannot know that they get JSON
 * @param csv the named example as CSV
 */
export function fileContents(
  formats: readonly ('csv' | 'arrow')[],
  csv: { readonly examples?: object },
): { readonly 'x-endcap-formats'?: object } {
  if (formats.length === 0) return {};
  const contents = {
    csv: { 'text/csv': { schema: { type: 'string', description: CSV_DESCRIPTION }, ...csv } },
    arrow: {
      'application/vnd.apache.arrow.stream': {
        schema: {
          type: 'string',
          format: 'binary',
          description:
            'An Arrow IPC stream: dictionary-encoded texts, date32, int64 and float64. The metadata of a field is its header, that of the schema has ' +
            'totalCount, totals (also those of the compared period and of changes) and meta as JSON. With `compare`, it has the columns of CSV.',
        },
      },
    },
  };
  return { 'x-endcap-formats': Object.assign({}, ...formats.map((format) => contents[format])) };
}

function componentOf(name: FileHeader): string {
  return `File${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}
