import * as z from 'zod/mini';
import type { FieldType } from '../../catalog/definitions.ts';
import { isPattern, OPERATOR_NAMES, OPERATORS, type Operator } from '../../catalog/operators.ts';
import { isTooEarly, parseDate, YEARS } from '../../lib/calendar.ts';
import { fieldIssue } from '../field-problems.ts';
import { MAX_LISTED_FIELDS } from '../problem.ts';
import { plainList } from '../resources/lists.ts';
import { whyWrongCount } from './operators.ts';
import { type FieldName, fieldType, isFieldName, ReportField } from './report-fields.ts';

const TEXT = 'a text, also for numbers: "7"';
const isText = (value: unknown): value is string => typeof value === 'string';
const OPERATOR_TEXT = OPERATOR_NAMES.map((name) => `${name}: ${OPERATORS[name].meaning}`).join('. ');

/** A condition of a report request. Its values suit the operator's number and the field's type. */
export const ReportFilter = z
  .strictObject(
    {
      field: ReportField,
      operator: z
        .enum(OPERATOR_NAMES, `one of ${OPERATOR_NAMES.join(', ')}`)
        .check(z.meta({ description: OPERATOR_TEXT, examples: ['EQUALS'] })),
      values: plainList(
        isText,
        { list: 'a list of texts, [] for IS_NULL and NOT_NULL', item: TEXT },
        { type: 'string' },
      ).check(
        z.meta({
          description:
            'Compared by the type of the field, text by code point, unique users by the value that the report shows (an estimate above 8,192). None for ' +
            'IS_NULL and NOT_NULL, two for BETWEEN.',
          examples: [['17', '18']],
        }),
      ),
    },
    'an object with the members field, operator and values',
  )
  .check(
    z.check(
      ({ value, issues }) => {
        for (const issue of checkValues(value)) issues.push(issue);
      },
      { when: () => true },
    ),
    z.meta({ id: 'ReportFilter', description: 'A condition that rows must fulfil; all filters must be fulfilled.' }),
  );

/** Runs beside the members' own checks, so that everything is reported at once; members that are wrong in themselves are left out. */
function checkValues(filter: unknown): z.core.$ZodRawIssue[] {
  if (!isObject(filter) || !Array.isArray(filter.values)) return [];
  const values: readonly unknown[] = filter.values;
  const operator = isOperator(filter.operator) ? filter.operator : undefined;
  const found: z.core.$ZodRawIssue[] = [];
  const wrongCount = operator && whyWrongCount(operator, values.length);
  if (wrongCount !== undefined) found.push(fieldIssue('WRONG_COUNT', ['values'], wrongCount, values));
  if (!isFieldName(filter.field) || (operator !== undefined && isPattern(operator))) return found;
  for (let index = 0; index < values.length && found.length < MAX_LISTED_FIELDS; index++) {
    const value = values[index];
    const wrong = isText(value) ? whyWrongValue(filter.field, value) : undefined;
    if (wrong !== undefined) found.push(fieldIssue('WRONG_FORMAT', ['values', index], wrong, value));
  }
  return found;
}

const FORMATS: Readonly<Record<FieldType, { fits: (value: string) => boolean; allowed: string }>> = {
  text: { fits: () => true, allowed: 'a text' },
  integer: { fits: (value) => /^-?\d+$/.test(value), allowed: 'an integer, such as "7"' },
  decimal: { fits: (value) => /^-?\d+(\.\d+)?$/.test(value), allowed: 'a decimal number, such as "0.25"' },
  date: { fits: (value) => parseDate(value) !== undefined, allowed: 'a day that exists, written YYYY-MM-DD' },
};

function whyWrongValue(field: FieldName, value: string): string | undefined {
  const { fits, allowed } = FORMATS[fieldType(field)];
  if (fits(value)) return undefined;
  const wanted = fieldType(field) === 'date' && isTooEarly(value) ? `a day of the years ${YEARS}` : allowed;
  return `Must be ${wanted}: ${field} is compared as ${fieldType(field)}.`;
}

function isOperator(value: unknown): value is Operator {
  return typeof value === 'string' && Object.hasOwn(OPERATORS, value);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
