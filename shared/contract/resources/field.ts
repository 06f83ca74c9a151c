import * as z from 'zod/mini';
import { FIELD_TYPES, type MetricDefinition, UNITS } from '../../catalog/definitions.ts';
import { OPERATOR_NAMES } from '../../catalog/operators.ts';
import { EXPERIENCES } from '../../catalog/tables.ts';
import { WEEKDAYS } from '../../lib/calendar.ts';
import { described } from '../described.ts';
import { Method } from '../method.ts';

/** The catalogue has no parameters and no pages. */
export const listFieldsInput = {};

const KINDS = [
  'sum',
  'ratio',
  'distinct',
  'attribute',
  'share',
  'planned',
  'remaining',
  'pacing',
] as const satisfies readonly MetricDefinition['kind'][];
const names = z.array(z.string());

const FIELD = {
  name: z.string().check(described('Name of the field in report requests and rows.', 'click_through_rate')),
  title: z.string().check(described('Title to display.', 'Click-through rate')),
  type: z.enum(FIELD_TYPES).check(described('Type of the values. Dates have the format YYYY-MM-DD.')),
  unit: z
    .nullable(z.enum(UNITS))
    .check(
      described(
        'Unit of the values; null if they have none. `currency` is the currency in `meta`, `fraction` is not a percentage: 1 is 100 %.',
        'fraction',
      ),
    ),
  group: z
    .string()
    .check(described('The group in which to list the field. Groups are in the order of display.', 'delivery')),
  description: z.string().check(described('Meaning of the values.', 'Clicks / impressions.')),
  aliases: names.check(described('Other words for the field, for a search; in lower case.', ['ctr'])),
  experiences: z
    .array(z.enum(EXPERIENCES))
    .check(described('Experiences in which the field has a meaning. In others it is null.', [...EXPERIENCES])),
  filters: z
    .enum(['facts', 'rows'])
    .check(described('Whether a filter on the field selects facts before they are grouped, or rows afterwards.')),
  values: z.optional(
    z
      .array(z.union([z.string(), z.number()]))
      .check(
        described('All values that the field can have, except null. Absent if they are not a closed set.', ['DAILY']),
      ),
  ),
} as const;

const MetricDescription = z
  .strictObject({
    ...FIELD,
    kind: z
      .enum(KINDS)
      .check(
        described(
          'How rows are aggregated: only values of the kind `sum` may be added up. `ratio`: numerator and denominator are summed first. `distinct`: users ' +
            'counted once. `attribute`: a property of the ad group or campaign. `share`: a share of the market. `planned`: planned cost. `pacing`: cost divided by planned cost.',
        ),
      ),
  })
  .check(z.meta({ id: 'MetricDescription', description: 'A metric of reports.' }));

const DimensionDescription = z
  .strictObject(FIELD)
  .check(z.meta({ id: 'DimensionDescription', description: 'A dimension of reports.' }));

const OperatorDescription = z
  .strictObject({
    name: z.enum(OPERATOR_NAMES).check(described('Name of the operator in filters.')),
    title: z.string().check(described('Short form to display between the field and the values.', 'is one of')),
    values: z.enum(['none', 'one', 'two', 'some']).check(described('Number of values; `some` is one or more.')),
    types: z
      .array(z.enum(FIELD_TYPES))
      .check(
        described('Types of fields for which the operator is useful. Every operator is accepted for every field.'),
      ),
    description: z.string().check(described('Which values the operator selects.')),
  })
  .check(z.meta({ id: 'OperatorDescription', description: 'A filter operator.' }));

const CompatibilityRule = z
  .strictObject({
    code: z
      .enum(['NOT_IN_EXPERIENCE', 'NOT_AT_THIS_GRAIN', 'SEVERAL_AD_GROUPS', 'SEVERAL_CAMPAIGNS'])
      .check(described('Kind of rule. The warnings of reports have the same codes.')),
    effect: z
      .enum(['null', 'someNull'])
      .check(
        described(
          '`null`: the fields are null in every row. `someNull`: they are null in the rows to which `reason` applies.',
        ),
      ),
    fields: names.check(described('The metrics and dimensions that the rule is about.', ['win_rate'])),
    experiences: z
      .array(z.enum(EXPERIENCES))
      .check(described('The rule applies to reports in these experiences.', ['toa'])),
    dimensions: names.check(
      described('The rule applies to reports that group or filter by one of these; if empty, to all reports.', [
        'purchased_entity_id',
      ]),
    ),
    unless: names.check(described('The rule does not apply to reports that group by one of these.', ['ad_group_id'])),
    reason: z.string().check(described('Why, in a sentence to display.', 'Has no meaning in toa.')),
  })
  .check(
    z.meta({
      id: 'CompatibilityRule',
      description:
        'When fields have no values. Reports accept such fields and return nulls, for metrics with a warning.',
    }),
  );

const FieldsMeta = z
  .strictObject({
    timezone: z.string().check(described('IANA time zone of all dates and hours.', 'America/New_York')),
    currency: z.string().check(described('ISO 4217 code of all amounts of money.', 'USD')),
    weekStartsOn: z.enum(WEEKDAYS).check(described('First day of the week.', 'Monday')),
    fieldsWithoutData: z
      .record(z.string(), names)
      .check(
        described(
          'By experience that your advertisers have data in: the metrics and dimensions that have a meaning there, but that none of them ever had data of.',
          { pla: ['win_rate'] },
        ),
      ),
    days: z
      .record(
        z.string(),
        z.strictObject({
          from: z.string().check(described('First day with data of any advertiser.', '2025-12-02')),
          completeThrough: z
            .nullable(z.string())
            .check(described('Last complete day of your advertisers; null if there is none.', '2026-03-01')),
        }),
      )
      .check(
        described(
          'By experience that your advertisers have data in: the days of the data. `completeThrough` is `dataCompleteThrough` of reports on all your advertisers.',
          { pla: { from: '2025-12-02', completeThrough: '2026-03-01' } },
        ),
      ),
    methodology: z.optional(
      z
        .record(z.string(), z.array(Method))
        .check(
          described(
            'By experience, how figures are made, ascending by the day from which on; absent if the operator states nothing.',
          ),
        ),
    ),
  })
  .check(
    z.meta({ id: 'FieldsMeta', description: 'Settings of the platform, and what your advertisers have data of.' }),
  );

export const FieldResponse = z
  .strictObject({
    data: z
      .strictObject({
        metrics: z.array(MetricDescription).check(described('All metrics, in the order of display.')),
        dimensions: z.array(DimensionDescription).check(described('All dimensions, in the order of display.')),
        operators: z.array(OperatorDescription).check(described('All filter operators.')),
        rules: z.array(CompatibilityRule).check(described('The rules by which fields have no values in some reports.')),
      })
      .check(described('The catalogue.')),
    meta: FieldsMeta,
  })
  .check(z.meta({ id: 'FieldResponse', description: 'The catalogue of report fields.' }));
export type FieldResponse = z.infer<typeof FieldResponse>;
