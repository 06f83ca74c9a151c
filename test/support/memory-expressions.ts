import { isDeepStrictEqual } from 'node:util';
import { compareText } from '../../shared/lib/compare-text.ts';
import { asRecord } from '../../shared/store/table/item.ts';

/** What the placeholders of a request's expressions stand for. */
export interface Placeholders {
  readonly ExpressionAttributeNames?: Readonly<Record<string, string>>;
  readonly ExpressionAttributeValues?: Readonly<Record<string, unknown>>;
}

type Attributes = Readonly<Record<string, unknown>>;

const COMPARISONS: Readonly<Record<string, (left: unknown, right: unknown) => boolean>> = {
  exists: (left) => left !== undefined,
  absent: (left) => left === undefined,
  '=': (left, right) => left !== undefined && isDeepStrictEqual(left, right),
  '<': (left, right) => compare(left, right) < 0,
  '<=': (left, right) => compare(left, right) <= 0,
  '>=': (left, right) => compare(left, right) >= 0,
};

/** @returns whether the condition holds of the item. @throws Error if it is not one of comparisons joined by AND, and these by OR */
export function holds(text: string, placeholders: Placeholders, item: Attributes = {}): boolean {
  const terms = text
    .replace(/(\S+) BETWEEN (\S+) AND (\S+)/, '$1 >= $2 AND $1 <= $3')
    .replaceAll(/attribute_exists\((.*?)\)/g, '$1 exists')
    .replaceAll(/attribute_not_exists\((.*?)\)/g, '$1 absent');
  if (/\([^)]* OR |NOT/.test(terms)) throw unknown(text);
  const compareTerm = (term: string) => {
    const [, left = '', operator = '', right] = /^(\S+) (\S+)(?: (\S+))?$/.exec(term) ?? [];
    const comparison = COMPARISONS[operator];
    if (comparison === undefined) throw unknown(text);
    return comparison(operandOf(left, placeholders, item), right && operandOf(right, placeholders, item));
  };
  const alternatives = terms.replaceAll(/[()]/g, '').split(' OR '); // what is in parentheses is joined by AND
  return alternatives.some((alternative) => alternative.split(' AND ').every(compareTerm));
}

/** @returns the item after the update. @throws ValidationException if an attribute that it needs is absent or has another type; Error for other expressions */
export function update(text: string, placeholders: Placeholders, before: Attributes): Attributes {
  const after = structuredClone(before);
  const [start, ...clauses] = text.split(/(SET|ADD|REMOVE) /);
  if (start !== '') throw unknown(text);
  for (let i = 0; i < clauses.length; i += 2) {
    for (const change of (clauses[i + 1] ?? '').trim().split(/\s*,\s*/)) {
      const [, place = '', left, right] = /^(\S+)(?: (?:= )?(\S+)(?: \+ (\S+))?)?$/.exec(change) ?? [];
      const path = pathOf(place, placeholders);
      const name = path.pop() ?? '';
      const parent = asRecord(valueAt(after, path));
      if (parent === undefined) throw invalid(`${place} does not exist`);
      const value = left && operandOf(left, placeholders, before);
      if (clauses[i] === 'REMOVE') Reflect.deleteProperty(parent, name);
      else if (clauses[i] === 'ADD') Reflect.set(parent, name, sum(parent[name] ?? 0, value));
      else Reflect.set(parent, name, right ? sum(value, operandOf(right, placeholders, before)) : value);
    }
  }
  return after;
}

/** @returns the error of DynamoDB for a request that is not valid */
export const invalid = (message: string) => Object.assign(new Error(message), { name: 'ValidationException' });

const unknown = (text: string) => new Error(`a table in memory does not have the expression ${text}`);

/** @returns a given value, or that of an attribute; undefined if there is none */
function operandOf(text: string, placeholders: Placeholders, item: Attributes): unknown {
  const values = placeholders.ExpressionAttributeValues ?? {};
  if (!text.startsWith(':')) return valueAt(item, pathOf(text, placeholders));
  if (!(text in values)) throw unknown(text);
  return values[text];
}

/** @returns the names on a path such as `#lease.#token` */
function pathOf(text: string, { ExpressionAttributeNames: names = {} }: Placeholders): string[] {
  return text.split('.').map((part) => {
    const name = part.startsWith('#') ? names[part] : part;
    if (name === undefined || !/^\w+$/.test(name)) throw unknown(text);
    return name;
  });
}

const valueAt = (item: Attributes, path: readonly string[]): unknown =>
  path.reduce<unknown>((value, name) => asRecord(value)?.[name], item);

function sum(left: unknown, right: unknown): number {
  if (typeof left === 'number' && typeof right === 'number') return left + right;
  throw invalid(`${left} and ${right} cannot be added`);
}

/** @returns the order of two numbers or texts; NaN, for which no comparison holds, of others */
function compare(left: unknown, right: unknown): number {
  if (typeof left === 'number' && typeof right === 'number') return left - right;
  return typeof left === 'string' && typeof right === 'string' ? compareText(left, right) : Number.NaN;
}
