import type { Filter } from '../../../shared/report/query/query.ts';
import type { SqlType } from './dimension-sql.ts';

export const SQL_TYPES = {
  text: 'VARCHAR',
  integer: 'BIGINT',
  decimal: 'DOUBLE',
  amount: 'DECIMAL(18, 6)',
  date: 'DATE',
} as const satisfies Readonly<Record<SqlType, string>>;

/**
 * Null passes only NOT_EQUALS, NOT_IN, NOT_CONTAINS, NOT_LIKE and IS_NULL.
 * @param expression an SQL expression of the type `type`
 * @returns the filter as an SQL condition that is true or false, never null
 */
export function filterSql(expression: string, type: SqlType, { operator, values }: Omit<Filter, 'field'>): string {
  const literals = values.map((value) => literal(value, type));
  const [first, second] = literals;
  const text = `lower(${written(expression, type)})`;
  const anyOf = (conditionOf: (value: string) => string) => `(${values.map(conditionOf).join(' OR ')})`;
  const contains = anyOf((value) => `contains(${text}, lower(${quote(value)}))`);
  const like = anyOf((value) => `${text} LIKE lower(${likePattern(value)}) ESCAPE '\\'`);
  switch (operator) {
    case 'EQUALS':
    case 'IN':
      return `coalesce(${expression} IN (${literals.join(', ')}), false)`;
    case 'NOT_EQUALS':
    case 'NOT_IN':
      return `coalesce(${expression} NOT IN (${literals.join(', ')}), true)`;
    case 'GREATER_THAN':
      return `coalesce(${expression} > ${first}, false)`;
    case 'GREATER_THAN_OR_EQUAL':
      return `coalesce(${expression} >= ${first}, false)`;
    case 'LESS_THAN':
      return `coalesce(${expression} < ${first}, false)`;
    case 'LESS_THAN_OR_EQUAL':
      return `coalesce(${expression} <= ${first}, false)`;
    case 'BETWEEN':
      return `coalesce(${expression} BETWEEN ${first} AND ${second}, false)`;
    case 'CONTAINS':
      return `coalesce(${contains}, false)`;
    case 'NOT_CONTAINS':
      return `coalesce(NOT ${contains}, true)`;
    case 'STARTS_WITH':
      return `coalesce(${anyOf((value) => `starts_with(${text}, lower(${quote(value)}))`)}, false)`;
    case 'LIKE':
    case 'LIKE_IN':
      return `coalesce(${like}, false)`;
    case 'NOT_LIKE':
      return `coalesce(NOT ${like}, true)`;
    case 'IS_NULL':
      return `(${expression} IS NULL)`;
    case 'NOT_NULL':
      return `(${expression} IS NOT NULL)`;
  }
}

/** @returns the text that LIKE matches. Decimals are not supported, because DuckDB writes them differently from JSON. */
function written(expression: string, type: SqlType): string {
  if (type === 'date') return `strftime(${expression}, '%Y-%m-%d')`;
  return type === 'integer' ? `${expression}::VARCHAR` : expression;
}

/** @returns a pattern in which `%` is the only wildcard and `\%` a percent sign; a pattern without a wildcard matches anywhere */
function likePattern(value: string): string {
  const escaped = value.replaceAll(/\\%|[\\_]/g, (found) => (found === '\\%' ? found : `\\${found}`));
  return quote(/(^|[^\\])%/.test(value) ? escaped : `%${escaped}%`);
}

function literal(value: string, type: SqlType): string {
  switch (type) {
    case 'text':
      return quote(value);
    case 'date':
      return `DATE ${quote(value)}`;
    case 'integer':
    case 'decimal':
      return `${quote(value)}::DOUBLE`;
    case 'amount':
      return `${quote(value)}::DECIMAL(38, 12)`;
  }
}

export function quote(value: string): string {
  return `'${value.replaceAll("'", "''")}'`;
}
