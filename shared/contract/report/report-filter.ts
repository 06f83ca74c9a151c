import * as z from 'zod/mini';
import type { FieldType } from '../../catalog/definitions.ts';
import { isPattern, OPERATOR_NAMES, OPERATORS, type Operator } from '../../catalog/operators.ts';
import { isTooEarly, parseDate, YEARS } from '../../lib/calendar.ts';
import { described } from '../described.ts';
import { fieldIssue, strictMembers } from '../field-problems.ts';
import { MAX_LISTED_FIELDS } from '../problem.ts';
import { plainList } from '../resources/lists.ts';
import { COUNTS_SCHEMA, COUNTS_TEXT, explainWrongCount } from './operator-counts.ts';
import { EXISTING_DATE, type FieldName, fieldType, isFieldName, ReportField } from './report-fields.ts';

export const MAX_FILTER_VALUES = 1_000;
/** Maximum size of the values of all filters together, in bytes of UTF-8. */
export const MAX_FILTER_BYTES = 65_536;

const TEXT = 'a string, also for numbers: "7"';
const isText = (value: unknown): value is string => typeof value === 'string';
const OPERATOR_TEXT = OPERATOR_NAMES.map((name) => `${name}: ${OPERATORS[name].meaning}`).join('. ');

/** A filter of a report request. The number of its values fits the operator; unless they are patterns, their format fits the type of the field. */
export const ReportFilter = strictMembers({
  field: ReportField,
  operator: z.enum(OPERATOR_NAMES, `one of ${OPERATOR_NAMES.join(', ')}`).check(described(OPERATOR_TEXT, 'EQUALS')),
  values: plainList(
    isText,
    {
      list: `a list of at most ${MAX_FILTER_VALUES.toLocaleString('en-US')} strings, [] for IS_NULL and NOT_NULL`,
      item: TEXT,
    },
    { type: 'string' },
    MAX_FILTER_VALUES,
  ).check(
    described(
      'Values to compare with, by the type of the field; text is compared by code point, unique users by the value that the report shows (an ' +
        `estimate above 8,192). ${COUNTS_TEXT} The values of all filters have at most ${MAX_FILTER_BYTES.toLocaleString('en-US')} bytes together, in UTF-8.`,
      ['17', '18'],
    ),
    z.overwrite((values) => values.map((text) => text.normalize('NFC'))), // as texts are loaded
  ),
}).check(
  z.check(
    ({ value, issues }) => {
      for (const issue of checkValues(value)) issues.push(issue);
    },
    { when: () => true },
  ),
  z.meta({
    id: 'ReportFilter',
    description:
      'A condition: on a dimension or an attribute, such as campaign_status, it selects facts before they are grouped, on any other metric rows of the ' +
      'report. All filters apply.',
    ...COUNTS_SCHEMA,
  }),
);

/** Checks the members together. It also runs if a member is wrong, so that all problems are reported together; wrong members are skipped. */
function checkValues(filter: unknown): z.core.$ZodRawIssue[] {
  if (!isObject(filter) || !Array.isArray(filter.values)) return [];
  const values: readonly unknown[] = filter.values;
  if (values.length > MAX_FILTER_VALUES) return []; // the list reports it
  const operator = isOperator(filter.operator) ? filter.operator : undefined;
  const found: z.core.$ZodRawIssue[] = [];
  const wrongCount = operator && explainWrongCount(operator, values.length);
  if (wrongCount !== undefined) found.push(fieldIssue('WRONG_COUNT', ['values'], wrongCount, values));
  if (!isFieldName(filter.field) || (operator !== undefined && isPattern(operator))) return found;
  for (let index = 0; index < values.length && found.length <= MAX_LISTED_FIELDS; index++) {
    const value = values[index];
    const detail = isText(value) ? explainWrongValue(filter.field, value) : undefined;
    if (detail !== undefined) found.push(fieldIssue('WRONG_FORMAT', ['values', index], detail, value));
  }
  return found;
}

const FORMATS: Readonly<Record<FieldType, { fits: (value: string) => boolean; allowed: string }>> = {
  text: { fits: () => true, allowed: 'a string' },
  integer: { fits: (value) => /^-?\d+$/.test(value), allowed: 'an integer, such as "7"' },
  decimal: { fits: (value) => /^-?\d+(\.\d+)?$/.test(value), allowed: 'a decimal number, such as "0.25"' },
  date: { fits: (value) => parseDate(value) !== undefined, allowed: EXISTING_DATE },
};

function explainWrongValue(field: FieldName, value: string): string | undefined {
  const { fits, allowed } = FORMATS[fieldType(field)];
  if (fits(value)) return undefined;
  const expected = fieldType(field) === 'date' && isTooEarly(value) ? `a date in the years ${YEARS}` : allowed;
  return `Must be ${expected}; the type of ${field} is ${fieldType(field)}.`;
}

function isOperator(value: unknown): value is Operator {
  return typeof value === 'string' && Object.hasOwn(OPERATORS, value);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
