import * as z from 'zod/mini';
import { WARNINGS, type WarningCode } from '../../catalog/warnings.ts';

const WARNING_CODES = Object.keys(WARNINGS) as WarningCode[]; // keyof the same literal

const Value = z.union([z.string(), z.number(), z.null()]);
const Attribution = z
  .strictObject({
    windowDays: z
      .int()
      .check(z.minimum(0), z.meta({ description: 'Days between touch and purchase.', examples: [14] })),
    basis: z.string().check(z.meta({ description: 'Which day a conversion counts on.', examples: ['conversion day'] })),
  })
  .check(z.meta({ id: 'Attribution', description: 'How purchases are attributed in this experience.' }));

const ReportHeader = z
  .strictObject({
    name: z.string().check(z.meta({ description: 'Name of the field, as requested.', examples: ['clicks'] })),
    title: z.string().check(z.meta({ description: 'Title for people.', examples: ['Clicks'] })),
    role: z.enum(['dimension', 'metric']),
    type: z
      .enum(['text', 'integer', 'decimal', 'date'])
      .check(z.meta({ description: 'Type of the values; dates are YYYY-MM-DD.' })),
    unit: z
      .union([z.string(), z.null()])
      .check(z.meta({ description: 'ISO 4217 code for money, else count, fraction, seconds, hours, users or ratio.' })),
    description: z.string().check(z.meta({ description: 'What the values mean.' })),
    standardError: z.optional(
      z
        .number()
        .check(z.meta({ description: 'Relative standard error of values above 8,192; smaller ones are exact.' })),
    ),
  })
  .check(z.meta({ id: 'ReportHeader', description: 'A column of the report.' }));

const ReportWarning = z
  .strictObject({
    code: z.enum(WARNING_CODES).check(
      z.meta({
        description: 'The closed list of warnings.',
        examples: ['NOT_AT_THIS_GRAIN'],
        'x-enum-descriptions': WARNINGS,
      }),
    ),
    field: z.string().check(z.meta({ description: 'The metric that it is about.', examples: ['time_live'] })),
    detail: z.string().check(z.meta({ description: 'What it means for the figures, and what to ask instead.' })),
    drop: z.array(z.string()).check(
      z.meta({
        description: 'Dimensions to drop from the report to be rid of the warning; [] where it is not for any of them.',
      }),
    ),
  })
  .check(
    z.meta({
      id: 'ReportWarning',
      description: 'What to know about a metric: that it is null in every row or in some, or what it does not count.',
    }),
  );

const ReportMeta = z
  .strictObject({
    timezone: z.string().check(z.meta({ description: 'IANA name.', examples: ['America/New_York'] })),
    currency: z.string().check(z.meta({ description: 'ISO 4217 code.', examples: ['USD'] })),
    dataCompleteThrough: z.union([z.string().check(z.meta({ format: 'date' })), z.null()]).check(
      z.meta({
        description:
          'Day through which the data of all of the report’s advertisers is complete: the earliest of what the operator states for them, else the latest day with delivery of any advertiser in the experience; null without facts.',
      }),
    ),
    dataVersion: z
      .string()
      .check(z.meta({ description: 'The same for reports over the same data.', examples: ['17'] })),
    attribution: Attribution,
    requestId: z.string().check(z.meta({ description: 'Quote it when you ask about this report.' })),
    warnings: z.array(ReportWarning),
  })
  .check(z.meta({ id: 'ReportMeta', description: 'What the figures rest on.' }));

export const ReportResultResponse = z
  .strictObject({
    headers: z.array(ReportHeader).check(z.meta({ description: 'Headers of the report: dimensions, then metrics.' })),
    data: z
      .array(z.record(z.string(), Value))
      .check(z.meta({ description: 'Data of the report: a row’s values by field name.' })),
    totalCount: z
      .int()
      .check(z.minimum(0), z.meta({ description: 'Total count of the report: rows on all pages.', examples: [2] })),
    totals: z.record(z.string(), Value).check(
      z.meta({
        description:
          'Without a filter on a metric, the report with `dimensions: []`. With one, the metrics over exactly the rows counted: ratios from sums, users counted once, share_of_voice null.',
      }),
    ),
    meta: ReportMeta,
  })
  .check(z.meta({ id: 'ReportResultResponse', description: 'A report.' }));
export type ReportResultResponse = z.infer<typeof ReportResultResponse>;
