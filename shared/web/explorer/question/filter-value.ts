import { parseDate } from '../../../lib/calendar.ts';
import type { Field } from './catalogue.ts';
import type { Formatter } from './format.ts';

type ValueField = Pick<Field, 'name' | 'type' | 'unit'>;

/** The value as requests and links have it, or why the text is none. */
type ReadValue =
  | { readonly value: string; readonly problem?: undefined }
  | { readonly value?: undefined; readonly problem: string };

/** @returns whether the value is a number of the API */
function isNumeric({ type }: ValueField, value: string): value is `${number}` {
  return (type === 'integer' || type === 'decimal') && /^-?\d+(\.\d+)?$/.test(value);
}

/** @returns the value of a filter with all of its digits, as figures are shown: `1.5%` for 0.015 */
export function showValue(field: ValueField, value: string, format: Formatter): string {
  return isNumeric(field, value) ? format.exact(field, value) : value;
}

/** @returns the value for a box beside which the unit stands: `1.5` for 0.015 of a fraction */
export function boxValue(field: ValueField, value: string, format: Formatter): string {
  return isNumeric(field, value) ? format.exactDigits(field, value) : value;
}

/** @returns the value that the API expects of a value as figures are shown: 0.01 for `1%` */
export function readValue(field: ValueField, text: string, format: Formatter): ReadValue {
  const { type } = field;
  if (type === 'text') return { value: text };
  if (type === 'date')
    return parseDate(text) === undefined ? { problem: 'Must be a date, such as 2026-03-01.' } : { value: text };
  const { group, decimal, unit } = format.notation(field);
  const code = field.unit ?? ''; // such as USD
  const bare = text.replace('−', '-').replace(code, '').replace(unit, '').replace(/\s/g, '');
  const [whole = '', ...fractions] = bare.split(decimal);
  const digits = group.trim() === '' || !whole.includes(group) ? whole : ungroup(whole, group);
  const plain = [digits || '0', ...fractions].join('.');
  const isAllowed = type === 'integer' ? /^-?\d+$/ : /^-?\d+(\.\d+)?$/;
  if (bare === '' || digits === undefined || !isAllowed.test(plain))
    return { problem: `Must be a${type === 'integer' ? ' whole' : ''} number, such as ${exampleOf(field, format)}.` };
  return { value: field.unit === 'fraction' ? divideByHundred(plain) : plain };
}

/** Thousands, or groups of two as in India; undefined if a separator is elsewhere, because it may be decimal. */
function ungroup(whole: string, group: string): string | undefined {
  const [first = '', ...rest] = whole.split(group);
  const isGrouped = /^-?\d{1,3}$/.test(first) && /^(\d{2,3} )*\d{3}$/.test(rest.join(' '));
  return isGrouped ? [first, ...rest].join('') : undefined;
}

function exampleOf(field: ValueField, format: Formatter): string {
  return format.exact(field, field.type === 'integer' ? '1200' : field.unit === 'fraction' ? '0.015' : '1234.5');
}

/** Moves the decimal point, because a division would change the last digits of some numbers. */
function divideByHundred(plain: string): string {
  const [, sign = '', whole = '', fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(plain) ?? [];
  const digits = whole.padStart(3, '0');
  const moved = `${digits.slice(0, -2)}.${digits.slice(-2)}${fraction}`;
  return `${sign}${moved.replace(/^0+(?=\d)/, '').replace(/\.?0+$/, '')}`;
}
