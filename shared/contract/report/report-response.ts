import * as z from 'zod/mini';
import { WARNINGS } from '../../catalog/warnings.ts';
import { keysOf } from '../../lib/keys-of.ts';
import { described } from '../described.ts';
import { METHOD_MEMBERS } from '../method.ts';

const WARNING_CODES = keysOf(WARNINGS);

const Value = z.union([z.string(), z.number(), z.null()]);
const Values = z.record(z.string(), Value);
const Attribution = z
  .strictObject({
    windowDays: z
      .union([z.int().check(z.minimum(0)), z.null()])
      .check(
        described(
          'Maximum number of days between the ad interaction and the purchase; null where experiences of the report differ.',
          14,
        ),
      ),
    basis: z
      .string()
      .check(
        described(
          'The day that a conversion is counted on; where experiences differ, the attribution of each.',
          'conversion day',
        ),
      ),
    ...METHOD_MEMBERS,
  })
  .check(z.meta({ id: 'Attribution', description: 'How purchases are attributed in the experiences of the report.' }));

const ReportHeader = z
  .strictObject({
    name: z.string().check(described('Name of the field, as requested.', 'clicks')),
    title: z.string().check(described('Title to display.', 'Clicks')),
    role: z.enum(['dimension', 'metric']),
    type: z
      .enum(['text', 'integer', 'decimal', 'date'])
      .check(described('Type of the values. Dates have the format YYYY-MM-DD.')),
    unit: z
      .union([z.string(), z.null()])
      .check(
        described(
          'ISO 4217 code for amounts of money, else count, fraction (1 is 100 %), seconds, hours, users or ratio; null if the values have no unit.',
        ),
      ),
    description: z.string().check(described('Meaning of the values.')),
    standardError: z.optional(
      z
        .number()
        .check(
          described(
            'Relative standard error of values of more than 8,192 users; others are exact. Only of columns that have such values, in rows or totals.',
          ),
        ),
    ),
  })
  .check(z.meta({ id: 'ReportHeader', description: 'A column of the report.' }));

const day = z.string().check(z.meta({ format: 'date' }));
const ReportWarning = z
  .strictObject({
    code: z.enum(WARNING_CODES).check(
      z.meta({
        description: 'Kind of warning. Later versions may add kinds.',
        examples: ['NOT_AT_THIS_GRAIN'],
        'x-enum-descriptions': Object.values(WARNINGS),
      }),
    ),
    message: z
      .string()
      .check(
        described(
          'For people: what this means for the values, and what to request instead, with titles of fields, names, and ranges of days. Of a compared period, it begins with “In the compared period:”.',
        ),
      ),
    fields: z
      .array(z.string())
      .check(
        described(
          'What the warning is about: metrics or a filtered field; if it is about days, first daily_date, then the affected metrics.',
          ['time_live'],
        ),
      ),
    dates: z
      .array(z.strictObject({ from: day, to: day }))
      .check(described('The days that it is about, at most the first 31 ranges; [] if none.')),
    things: z
      .array(z.strictObject({ id: z.union([z.string(), z.number()]), name: z.string() }))
      .check(described('The campaigns, products, advertisers and so on that the message names.')),
    field: z.string().check(described('The first of the fields.', 'time_live')),
    detail: z.string().check(described('The message for programs: with names of fields, ids, and days.')),
    drop: z
      .array(z.string())
      .check(described('Dimensions to remove from the report to avoid the warning; [] if no dimension causes it.')),
  })
  .check(
    z.meta({
      id: 'ReportWarning',
      description:
        'A restriction of a metric: it is null in all rows or in some, or it leaves something out; or a filter that probably does not select what was meant.',
    }),
  );

const ReportPage = z
  .strictObject({
    offset: z.int().check(z.minimum(0), described('Number of rows before this page.', 0)),
    size: z.int().check(z.minimum(1), described('Requested number of rows; the last page may have fewer.', 100)),
    hasMore: z.boolean().check(described('Whether there are rows after this page.')),
  })
  .check(z.meta({ id: 'ReportPage', description: 'Position of this page in the report.' }));

const DayOrNull = z.union([day, z.null()]);
const DeliveredDays = z
  .strictObject({
    from: DayOrNull.check(described('First day with delivery; null if there is none.', '2025-12-02')),
    through: DayOrNull.check(described('Latest day with delivery.', '2026-03-01')),
    missingDays: z
      .array(day)
      .check(
        described(
          'Days of the period without delivery, at most the first 31. Days after `through` do not count as missing. Sums leave missing days out; if no day of the ' +
            'period has data, metrics are null.',
        ),
      ),
    missingDayCount: z.int().check(z.minimum(0), described('Number of all missing days.', 0)),
    gaps: z
      .array(z.strictObject({ from: day, through: day }))
      .check(
        described(
          'Days of the period up to `through` on which no advertiser of the report has delivery, missing days included: they paused, or their data is late. In file headers the first 8.',
        ),
      ),
    gapDayCount: z.int().check(z.minimum(0), described('Number of all days in gaps.', 0)),
    tables: z
      .array(
        z.strictObject({
          table: z.enum(['conversions', 'activity', 'market']),
          through: day,
          missingDays: z.array(day),
          missingDayCount: z.int().check(z.minimum(0)),
        }),
      )
      .check(
        described(
          'The other fact tables that have rows: their latest day (of several experiences, the earliest), and the days of the period that have delivery and none of their rows, of any advertiser.',
        ),
      ),
  })
  .check(
    z.meta({
      id: 'DeliveredDays',
      description: 'The days with delivery of any advertiser in the experiences of the report.',
    }),
  );
const ReportEstimate = z
  .strictObject({
    seconds: z.number().check(z.minimum(0), described('Time to compute the report by a new instance.', 0.4)),
    readUnits: z
      .int()
      .check(
        z.minimum(0),
        described(
          'Read units that the report takes of those per day that the key may, of a new instance; others keep what earlier reports read.',
          12,
        ),
      ),
    rows: z.int().check(z.minimum(0), described('Stored rows to read: facts, or their sums by month.', 21_000)),
    ifEmpty: z.optional(
      z
        .strictObject({ seconds: z.number().check(z.minimum(0)), readUnits: z.int().check(z.minimum(0)) })
        .check(
          described('What explaining takes besides, at most, if the filters leave no row; absent if it is left out.'),
        ),
    ),
  })
  .check(z.meta({ id: 'ReportEstimate', description: 'What the report would cost, as if no filter dropped rows.' }));

const ReportMeta = z
  .strictObject({
    page: ReportPage,
    period: z.strictObject({ startDate: day, endDate: day }).check(
      z.meta({
        id: 'ReportPeriod',
        description: 'First and last day of the report, which may have been requested as relative dates.',
        examples: [{ startDate: '2026-02-02', endDate: '2026-03-01' }],
      }),
    ),
    timezone: z.string().check(described('IANA time zone of all dates and hours.', 'America/New_York')),
    currency: z.string().check(described('ISO 4217 code of all amounts of money.', 'USD')),
    data: DeliveredDays,
    compared: z.optional(
      z
        .strictObject({ startDate: day, endDate: day, data: DeliveredDays })
        .check(z.meta({ id: 'ComparedPeriod', description: 'The compared period, and its days with delivery.' })),
    ),
    dataCompleteThrough: z
      .union([day, z.null()])
      .check(
        described(
          'Day through which the data counts as complete: the earliest of the days of the advertisers of the report, also of those that a filter excludes. The day of an ' +
            'advertiser is the one that the operator states, else the latest day with delivery of any advertiser in the experience; of several experiences, the earliest. Days before it that were ' +
            'never loaded are missing all the same, and have no rows in a report by day. Null if the operator states none of ' +
            'them and the experience has no delivery, or if the report has no advertisers.',
        ),
      ),
    dataFinalThrough: z
      .union([day, z.null()])
      .check(
        described(
          'Day through which figures are final: the day of dataCompleteThrough, or an earlier one that the operator does not load again any more and that no conversions are ' +
            'counted on any more; of several experiences with data, the earliest. Null if the operator does not state for one of them how long days are loaded again.',
        ),
      ),
    dataVersion: z
      .string()
      .check(
        described(
          'Version of the data that the report is made from. It stays the same as long as nothing changes that the report can see: facts of its advertisers, ' +
            'joined names and attributes, the days in `data`, and settings.',
          '7c9e6679f2a14b3d',
        ),
      ),
    dataUpdatedAt: z
      .union([z.iso.datetime(), z.null()])
      .check(
        described(
          'Time of the last load that changed what the report is made from. It moves only together with dataVersion. Null without data.',
          '2026-03-02T06:12:09.417Z',
        ),
      ),
    attribution: Attribution,
    requestId: z.string().check(described('Id of the request; quote it in questions about this report.')),
    warnings: z.array(ReportWarning),
    estimate: z.optional(ReportEstimate),
  })
  .check(z.meta({ id: 'ReportMeta', description: 'The data and settings that the report is based on.' }));

export const ReportResultResponse = z
  .strictObject({
    headers: z
      .array(ReportHeader)
      .check(described('Headers of the report: dimensions first, then metrics, in the order of the request.')),
    data: z
      .array(
        z.catchall(
          z.object({ compared: z.optional(Values), change: z.optional(Values), relativeChange: z.optional(Values) }),
          Value,
        ),
      )
      .check(
        described(
          'Data of the report: the rows of the page, each with its values by field name. With `compare`, each row also has `compared`: its metrics in the ' +
            'compared period, and of numeric metrics `change` and `relativeChange`. Where one period has no such row, sums and numbers of users are 0 and other metrics null; all are null where the period, or ' +
            'in a report by day the day, has no data.',
        ),
      ),
    totalCount: z
      .int()
      .check(z.minimum(0), described('Total count of the report: the number of rows on all pages.', 2)),
    totals: Values.check(
      described(
        'Without a filter on a metric that is not an attribute: the same report with `dimensions: []`. With one: the metrics over exactly the rows in ' +
          '`totalCount`, with ratios calculated from sums, each user counted once, and share_of_voice null.',
      ),
    ),
    comparedTotals: z.optional(Values.check(described('With `compare`: the same of the compared period.'))),
    changeTotals: z.optional(Values.check(described('With `compare`: totals − comparedTotals of numeric metrics.'))),
    relativeChangeTotals: z.optional(
      Values.check(described('With `compare`: changeTotals / |comparedTotals|, null where that is null or 0.')),
    ),
    meta: ReportMeta,
  })
  .check(z.meta({ id: 'ReportResultResponse', description: 'A report.' }));
export type ReportResultResponse = ReadonlyDeep<z.infer<typeof ReportResultResponse>>;

type ReadonlyDeep<T> = T extends object ? { readonly [Member in keyof T]: ReadonlyDeep<T[Member]> } : T;
