import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import type { Key } from './keys.ts';

/** One item of the table: its key and its other attributes. */
export interface Item extends Key {
  readonly [attribute: string]: unknown;
}

/** Attributes as DynamoDB's requests and responses have them. */
type Attributes = Record<string, AttributeValue>;

/** @returns the attributes of what is written to the table, without undefined ones */
export function attributesOf(values: Readonly<Record<string, unknown>>): Attributes {
  return marshall(values, { removeUndefinedValues: true });
}

/** @returns the key in DynamoDB's format; if a whole item is passed, its other attributes are left out */
export function keyAttributes({ pk, sk }: Key): Attributes {
  return { pk: { S: pk }, sk: { S: sk } };
}

/** @returns the item that DynamoDB's attributes describe */
export function toItem(attributes: Attributes): Item {
  const item: Record<string, unknown> = {};
  for (const name in attributes) item[name] = readAttribute(attributes[name] as AttributeValue); // `name` is one of its names
  const { pk, sk } = item;
  if (typeof pk !== 'string' || typeof sk !== 'string') throw new Error('an item of the table has no keys pk and sk');
  return { ...item, pk, sk };
}

/** `B` has bytes if the SDK has parsed the response, else base64. Items have no sets. */
function readAttribute({ S, N, B, BOOL, L, M, NULL }: AttributeValue): unknown {
  if (S !== undefined) return S;
  if (N !== undefined) return Number(N);
  if (B !== undefined) return typeof B === 'string' ? decodeBase64(B) : B;
  if (BOOL !== undefined) return BOOL;
  if (L !== undefined) return L.map(readAttribute);
  if (M !== undefined)
    return Object.fromEntries(Object.entries(M).map(([name, value]) => [name, readAttribute(value)]));
  if (NULL !== undefined) return null;
  throw new Error('an item of the table has an attribute of an unknown type');
}

/** @returns the attribute as a number. @throws Error naming the item if it is something else, as the next three functions do */
export function numberIn(item: Item, attribute: string): number {
  const value = item[attribute];
  return typeof value === 'number' ? value : reject(item, attribute, 'a number');
}

/** @returns the attribute as text */
export function textIn(item: Item, attribute: string): string {
  const value = item[attribute];
  return typeof value === 'string' ? value : reject(item, attribute, 'text');
}

/** @returns the attribute as bytes */
export function bytesIn(item: Item, attribute: string): Uint8Array {
  const value = item[attribute];
  return value instanceof Uint8Array ? value : reject(item, attribute, 'bytes');
}

/** @returns the attribute as a list */
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

/**
 * Unlike the SDK's own decoder, this one does not test the text against a regular expression, which takes 8 % of the processor time of a report. DynamoDB encodes
 * what was stored, and segments, manifests and columns have checksums.
 */
export function decodeBase64(text: string): Uint8Array {
  const { buffer, byteOffset, byteLength } = Buffer.from(text, 'base64');
  return new Uint8Array(buffer, byteOffset, byteLength);
}
