import { type Item, sizeOf } from './item.ts';

/** An expression in which each `#name` stands for the attribute of that name, and each `:name` for the member of `values` of that name. */
export interface Expression {
  readonly text: string;
  readonly values?: Readonly<Record<string, unknown>>;
}

/** A closed range of sort keys in one partition. */
export interface RangeQuery {
  readonly pk: string;
  /** First sort key, included; absent = from the start of the partition. */
  readonly from?: string;
  /** Last sort key, included; absent = to the end of the partition. */
  readonly to?: string;
  readonly consistent: boolean;
  readonly limit?: number;
}

/** DynamoDB's limits of one call. */
export const BATCH_GET_KEYS = 100;
export const BATCH_WRITE_ITEMS = 25;
/** Maximum bytes that are read or written together, unless one thing is larger. Below the limit of a batch, 16 MB, so that a call stays within its time limit. */
export const PART_BYTES = 4_000_000;

/** @returns the members of a Query request that select the items. @param limit the number of items still to read */
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
    ...(limit === undefined ? {} : { Limit: limit }),
  };
}

/** @returns the members of a Put or Delete request that express the condition */
export function conditionInput(condition: Expression | undefined) {
  return condition === undefined ? {} : { ConditionExpression: condition.text, ...placeholders([condition]) };
}

/** @returns the members of an Update request that express the change and the condition */
export function updateInput(change: Expression, condition: Expression | undefined) {
  return {
    UpdateExpression: change.text,
    ...(condition === undefined ? {} : { ConditionExpression: condition.text }),
    ...placeholders(condition === undefined ? [change] : [change, condition]),
  };
}

/** @returns the members in groups of at most `size` */
export function inGroups<T>(members: readonly T[], size: number): T[][] {
  const groups: T[][] = [];
  for (let start = 0; start < members.length; start += size) groups.push(members.slice(start, start + size));
  return groups;
}

/**
 * @param sizeOf returns the number of items of a read, and their approximate size
 * @returns the reads in parts of at most PART_BYTES and one BatchGetItem each; a larger read is a part of its own
 */
export function cutReads<R>(
  reads: readonly R[],
  sizeOf: (read: R) => { readonly keys: number; readonly bytes: number },
) {
  const parts: { members: R[]; keys: number; bytes: number }[] = [];
  for (const read of reads) {
    const { keys, bytes } = sizeOf(read);
    const last = parts.at(-1);
    if (last !== undefined && last.keys + keys <= BATCH_GET_KEYS && last.bytes + bytes <= PART_BYTES) {
      last.members.push(read);
      last.keys += keys;
      last.bytes += bytes;
    } else {
      parts.push({ members: [read], keys, bytes });
    }
  }
  return parts;
}

/** @returns the items in groups that each fit into one BatchWriteItem */
export function groupBySize(items: readonly Item[]): Item[][] {
  const groups: Item[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const item of items) {
    const size = sizeOf(item);
    const last = groups.at(-1);
    if (last === undefined || last.length === BATCH_WRITE_ITEMS || bytes + size > PART_BYTES) {
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

/** @returns the names and values of the expressions; either is absent if it is empty, because DynamoDB rejects empty ones */
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
      : {
          ExpressionAttributeValues: Object.fromEntries(values.map(([name, value]) => [`:${name}`, value])),
        }),
  };
}
