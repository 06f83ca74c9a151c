import type { Item } from './item.ts';
import { sizeOf } from './item.ts';

/** An expression whose `#name`s stand for the attributes of that name and whose `:name`s for the `values` of that name. */
export interface Expression {
  readonly text: string;
  readonly values?: Readonly<Record<string, unknown>>;
}

export interface RangeQuery {
  readonly pk: string;
  /** Both ends included; absent = from the first, to the last. */
  readonly from?: string;
  readonly to?: string;
  readonly consistent: boolean;
  /** At most so many items. */
  readonly limit?: number;
  readonly reverse?: boolean;
}

export const BATCH_GET_KEYS = 100;
export const BATCH_WRITE_ITEMS = 25;
// BatchWriteItem takes 16 MB; smaller ones come back within the time limit on a slow line
const BATCH_WRITE_BYTES = 4_000_000;

/** @returns the members of a Query's request that say what to read. @param limit items still wanted */
export function rangeInput(range: RangeQuery, limit: number | undefined) {
  const { pk, from, to } = range;
  return {
    KeyConditionExpression: `pk = :pk${boundsOf(from, to)}`,
    ExpressionAttributeValues: {
      ':pk': pk,
      ...(from === undefined ? {} : { ':from': from }),
      ...(to === undefined ? {} : { ':to': to }),
    },
    ConsistentRead: range.consistent,
    ScanIndexForward: range.reverse !== true,
    ...(limit === undefined ? {} : { Limit: limit }),
  };
}

/** @returns the members of a Put's or Delete's request that state the condition. */
export function conditionInput(condition: Expression | undefined) {
  return condition === undefined ? {} : { ConditionExpression: condition.text, ...placeholders([condition]) };
}

/** @returns the members of an Update's request that state change and condition. */
export function updateInput(change: Expression, condition: Expression | undefined) {
  return {
    UpdateExpression: change.text,
    ...(condition === undefined ? {} : { ConditionExpression: condition.text }),
    ...placeholders(condition === undefined ? [change] : [change, condition]),
  };
}

/** @returns the members in groups of `size`. */
export function inGroups<T>(members: readonly T[], size: number): T[][] {
  const groups: T[][] = [];
  for (let start = 0; start < members.length; start += size) groups.push(members.slice(start, start + size));
  return groups;
}

/** @returns the items in groups that one BatchWriteItem takes. */
export function inSizedGroups(items: readonly Item[]): Item[][] {
  const groups: Item[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const item of items) {
    const size = sizeOf(item);
    const last = groups.at(-1);
    if (last === undefined || last.length === BATCH_WRITE_ITEMS || bytes + size > BATCH_WRITE_BYTES) {
      groups.push([item]);
      bytes = size;
    } else {
      last.push(item);
      bytes += size;
    }
  }
  return groups;
}

function boundsOf(from: string | undefined, to: string | undefined): string {
  if (from !== undefined && to !== undefined) return ' AND sk BETWEEN :from AND :to';
  if (from !== undefined) return ' AND sk >= :from';
  return to === undefined ? '' : ' AND sk <= :to';
}

/** @returns the names and values that the expressions use; an empty list of either would be refused. */
function placeholders(expressions: readonly Expression[]): {
  ExpressionAttributeNames?: Record<string, string>;
  ExpressionAttributeValues?: Record<string, unknown>;
} {
  const names = expressions.flatMap(({ text }) => text.match(/#\w+/g) ?? []);
  const values = expressions.flatMap((expression) => Object.entries(expression.values ?? {}));
  return {
    ...(names.length === 0
      ? {}
      : { ExpressionAttributeNames: Object.fromEntries(names.map((name) => [name, name.slice(1)])) }),
    ...(values.length === 0
      ? {}
      : { ExpressionAttributeValues: Object.fromEntries(values.map(([name, value]) => [`:${name}`, value])) }),
  };
}
