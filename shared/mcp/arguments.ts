import * as z from 'zod';
import { SORT_VALUE_NAMES } from '../../../../shared/catalog/compared-values.ts';
import { didYouMean } from '../../../../shared/catalog/describe/suggest.ts';
import { OPERATOR_NAMES } from '../../../../shared/catalog/operators.ts';
import { REPORT_EXPERIENCES } from '../../../../shared/catalog/tables.ts';
import { COMPARE_FORMS } from '../../../../shared/contract/report/report-text.ts';
import { DATE_FORMS } from '../../../../shared/lib/relative-date.ts';

export const MAX_ROWS = 200;

/** @returns a strict object schema whose error for an unknown member suggests the closest name and lists all names */
function strictObject<Shape extends z.ZodRawShape>(shape: Shape) {
  const names = Object.keys(shape);
  return z.strictObject(shape, {
    error: (issue) => {
      if (issue.code !== 'unrecognized_keys') return undefined;
      const unknown = issue.keys.map((key) => `there is no argument ${key}${didYouMean(key, names)}`);
      return `${unknown.join('; ')}; the arguments are ${names.join(', ') || 'none'}`;
    },
  });
}

const experience = z
  .enum(REPORT_EXPERIENCES)
  .describe(
    'Advertising format: pla = product listing ads, toa = banners and video, carousel; all = these together, each user counted once (experience_name tells them apart).',
  );
const period = {
  start_date: z.string().default('latest-27d').describe(`First day: ${DATE_FORMS}.`),
  end_date: z.string().default('latest').describe('Last day, included, in the same forms.'),
};
const filters = z
  .array(
    strictObject({
      field: z.string().describe('A metric or dimension.'),
      operator: z
        .enum(OPERATOR_NAMES)
        .describe(
          'CONTAINS, NOT_CONTAINS and STARTS_WITH take texts as they are. In LIKE, % stands for any text and \\% for a percent sign; without %, a part matches.',
        ),
      values: z.array(z.union([z.string(), z.number()])).default([]),
    }),
  )
  .default([])
  .describe('Rows must meet all conditions.');

export const noInput = strictObject({});

export const describeFieldsInput = strictObject({
  search: z
    .string()
    .optional()
    .describe('Only fields with this text in their name, title, group, description or other words for them.'),
  names: z.array(z.string()).default([]).describe('Only these fields.'),
});

export const runReportInput = strictObject({
  experience,
  metrics: z.array(z.string()).min(1).describe('Names of metrics.'),
  dimensions: z
    .array(z.string())
    .default([])
    .describe('Names of dimensions to group by. Without dimensions, the result is one row.'),
  ...period,
  filters,
  advertiser_ids: z
    .array(z.number().int())
    .default([])
    .describe('Only these advertisers; default: all that you may see.'),
  compare: z
    .string()
    .optional()
    .describe(`Period to compare with: ${COMPARE_FORMS}. Adds columns such as cost_before and cost_change.`),
  sort: z
    .array(
      strictObject({
        field: z.string(),
        order: z.enum(['ASC', 'DESC']),
        by: z
          .enum(SORT_VALUE_NAMES)
          .default('value')
          .describe('Values other than value are for numeric metrics, with compare.'),
      }),
    )
    .optional()
    .describe('By requested fields; default: dates ascending, else the first metric descending.'),
  limit: z.number().int().min(1).max(MAX_ROWS).default(25).describe('Maximum number of rows.'),
  offset: z.number().int().min(0).default(0).describe('Number of rows to skip.'),
  validate_only: z.boolean().default(false).describe('Only check the report and estimate its cost.'),
});

export const suggestValuesInput = strictObject({
  experience,
  dimension: z.string().describe('Name of a dimension.'),
  contains: z.string().optional().describe('Only values with this text, ignoring case.'),
  ...period,
});
