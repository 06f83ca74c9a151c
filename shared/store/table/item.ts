import type { Key } from './item-keys.ts';

/** One item of the table: its key and its other attributes. */
export interface Item extends Key {
  readonly [attribute: string]: unknown;
}

/** @returns the attributes as an item. @throws Error if its keys are absent */
export function toItem(attributes: Readonly<Record<string, unknown>>): Item {
  const { pk, sk } = attributes;
  if (typeof pk !== 'string' || typeof sk !== 'string') throw new Error('an item of the table has no keys pk and sk');
  return { ...attributes, pk, sk };
}

/** @returns the attribute as a number. @throws Error naming the item if it is something else, as the next three functions do */
export function numberIn(item: Item, attribute: string): number {
  const value = item[attribute];
  return typeof value === 'number' ? value : reject(item, attribute, 'a number');
}

export function textIn(item: Item, attribute: string): string {
  const value = item[attribute];
  return typeof value === 'string' ? value : reject(item, attribute, 'text');
}

export function bytesIn(item: Item, attribute: string): Uint8Array {
  const value = item[attribute];
  return value instanceof Uint8Array ? value : reject(item, attribute, 'bytes');
}

export function listIn(item: Item, attribute: string): readonly unknown[] {
  const value = item[attribute];
  return Array.isArray(value) ? value : reject(item, attribute, 'a list');
}

/** @returns the value as an object with unknown members; undefined if it is not an object */
export function asRecord(value: unknown): Readonly<Record<string, unknown>> | undefined {
  // a record with unknown members promises no more than this condition checks
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined;
}

/** @returns the approximate size of the item in DynamoDB, in bytes: exact for text and bytes, estimated for numbers, booleans, nulls, lists and maps */
export function sizeOf(item: Item): number {
  let size = 0;
  for (const [name, value] of Object.entries(item)) size += Buffer.byteLength(name) + sizeOfValue(value);
  return size;
}

function reject(key: Key, attribute: string, expected: string): never {
  throw new Error(`the attribute ${attribute} of the item ${key.pk} / ${key.sk} is not ${expected}`);
}

function sizeOfValue(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value);
  if (value instanceof Uint8Array) return value.length;
  if (Array.isArray(value)) return value.reduce<number>((sum, member) => sum + sizeOfValue(member), 8);
  const record = asRecord(value);
  if (record === undefined) return 12;
  return Object.entries(record).reduce((sum, [name, member]) => sum + name.length + sizeOfValue(member), 8);
}
