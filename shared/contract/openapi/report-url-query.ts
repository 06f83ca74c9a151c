import * as z from 'zod/mini';
import { described } from '../described.ts';
import { MAX_FILE_PAGE_SIZE } from '../report/report-request.ts';

const text = (description: string, example: string) => z.optional(z.string().check(described(description, example)));
const choice = (values: readonly string[], description: string, example: string) =>
  z.optional(z.enum(values).check(described(description, example)));
const integer = (minimum: number, maximum: number, description: string, example: number) =>
  z.optional(z.int().check(z.minimum(minimum), z.maximum(maximum), described(description, example)));

/** The parameters of a report as a URL, for the document; the texts are parsed by `report-url.ts`, and checked as the body of a POST. */
export const ReportUrlQuery = z.object({
  start: z.string().check(described('First day, as `startDate`.', 'latest-27d')),
  end: z.string().check(described('Last day, as `endDate`.', 'latest')),
  by: text('Dimensions to group by, separated by commas; absent = a single row.', 'campaign_name'),
  metrics: text('Metrics, separated by commas; absent = the distinct values of the dimensions.', 'cost,clicks'),
  filter: z.optional(
    z
      .array(z.string())
      .check(
        described('Conditions, which all apply: repeat the parameter. The grammar is in the documentation.', [
          'cost>50',
        ]),
      ),
  ),
  sort: text('Requested fields, separated by commas, each with `-` before it to descend.', '-cost'),
  compare: text('The period to compare with, or two days: `2025-11-01..2025-11-30`.', 'previousPeriod'),
  advertisers: text('Ids of advertisers, separated by commas; absent = all of yours.', '2001,2002'),
  offset: integer(0, Number.MAX_SAFE_INTEGER, 'Number of rows to skip.', 0),
  size: integer(
    1,
    MAX_FILE_PAGE_SIZE,
    'Maximum number of rows; absent = all, up to 10,000 as JSON, 100,000 as CSV or Arrow.',
    100,
  ),
  format: choice(
    ['json', 'csv', 'spreadsheet', 'arrow'],
    'The format; absent = that of `Accept`. `spreadsheet` is CSV with a byte order mark and escaped formulas, as a file to save.',
    'csv',
  ),
  comments: choice(
    ['on'],
    'Whether CSV begins with lines `# …` that state the period, how far the data is complete, and warnings; absent = no.',
    'on',
  ),
});
