import { OPERATOR_NAMES } from '../../../../shared/catalog/operators.ts';
import type { Filter, Operator } from '../../../../shared/web/client/client.ts';
import type { FieldNames } from './field-names.ts';

/** The grammar of filters, for the usage of commands. Names of operators work, too. */
export const FILTER_USAGE = `  field=value[,value…]    is one of the values (EQUALS, IN)
  field!=value[,value…]   is none of the values, or null (NOT_EQUALS, NOT_IN)
  field>value, >=, <, <=  is greater or less (GREATER_THAN, GREATER_THAN_OR_EQUAL, LESS_THAN, LESS_THAN_OR_EQUAL)
  field=low..high         from the first value to the second, both included (BETWEEN)
  field~text[,text…]      contains one of the texts, ignoring case (CONTAINS)
  field!~text[,text…]     contains none of them, or is null (NOT_CONTAINS)
  field=null, field!=null is null, is not null (IS_NULL, NOT_NULL)
  field OPERATOR values   the same by name, and the others: 'keyword STARTS_WITH oat', 'keyword LIKE oat%milk' (LIKE_IN, NOT_LIKE; % stands for any text)
A value with a comma or two dots, or the text null, is put in quotation marks: brand="A, B".`;

const SIGNS = /^(\w+)\s*(!=|>=|<=|!~|=|>|<|~)\s*(.*)$/s;
const NAMED = /^(\w+)\s+([A-Z_]+)(?:\s+(.*))?$/s;

/**
 * @param text such as `cost>100`
 * @throws Error if it is not a filter, names no field, has a sign and too few or too many values, or an unmatched quotation mark
 */
export function parseFilter(text: string, names: FieldNames): Filter {
  const [, namedField, name, list = ''] = NAMED.exec(text) ?? [];
  const operator = OPERATOR_NAMES.find((candidate) => candidate === name);
  if (namedField !== undefined && operator !== undefined) {
    return { field: names.field(namedField), operator, values: splitValues(list).map(({ value }) => value) };
  }
  const [, field, sign = '', rest = ''] = SIGNS.exec(text) ?? [];
  if (field === undefined) throw new Error(`${text} is not a filter; filters are\n${FILTER_USAGE}`);
  const values = splitValues(rest);
  if (values.length === 0) throw new Error(`the filter ${text} lacks a value; for rows without one: ${field}=null`);
  return { field: names.field(field), ...conditionOf(sign, values, text) };
}

interface Value {
  readonly value: string;
  readonly isQuoted: boolean;
}

function conditionOf(sign: string, values: readonly Value[], text: string): Pick<Filter, 'operator' | 'values'> {
  const [first] = values;
  const isSingle = values.length === 1;
  const plain = isSingle && first?.isQuoted === false ? first.value : undefined;
  const [, low, high] = /^(.+?)\.\.(.+)$/.exec(plain ?? '') ?? [];
  const all = values.map(({ value }) => value);
  const onlyOne = (operator: Operator) => {
    if (isSingle) return { operator, values: all };
    throw new Error(`the filter ${text} has ${values.length} values; ${sign} takes one`);
  };
  switch (sign) {
    case '=':
      if (plain === 'null') return { operator: 'IS_NULL', values: [] };
      if (low !== undefined && high !== undefined) return { operator: 'BETWEEN', values: [low, high] };
      return { operator: isSingle ? 'EQUALS' : 'IN', values: all };
    case '!=':
      if (plain === 'null') return { operator: 'NOT_NULL', values: [] };
      return { operator: isSingle ? 'NOT_EQUALS' : 'NOT_IN', values: all };
    case '~':
      return { operator: 'CONTAINS', values: all };
    case '!~':
      return { operator: 'NOT_CONTAINS', values: all };
    case '>':
      return onlyOne('GREATER_THAN');
    case '>=':
      return onlyOne('GREATER_THAN_OR_EQUAL');
    case '<':
      return onlyOne('LESS_THAN');
    default:
      return onlyOne('LESS_THAN_OR_EQUAL');
  }
}

/**
 * @returns the values between commas; a quotation mark in quotation marks is doubled
 * @throws Error if a value begins with a quotation mark, but does not end with the matching one
 */
function splitValues(text: string): Value[] {
  const matches = text.matchAll(/\s*(?:"((?:[^"]|"")*)"|([^,]*))\s*(?:,|$)/g);
  const values = [...matches].map(([, quoted, plain = '']): Value => {
    if (quoted !== undefined) return { value: quoted.replaceAll('""', '"'), isQuoted: true };
    if (plain.startsWith('"'))
      throw new Error(
        `the value ${plain} has an unmatched quotation mark, or text after the closing one: put the whole value in quotation marks, and write those inside it twice`,
      );
    return { value: plain.trim(), isQuoted: false };
  });
  return values.filter(({ value, isQuoted }) => isQuoted || value !== '');
}
