import type { Key } from './keys.ts';

/** One item of the table: its key and whatever else it holds. */
export interface Item extends Key {
  readonly [attribute: string]: unknown;
}

/** @throws Error naming the item, when what is stored is not what this version of the service writes */
function refuse(key: Key, attribute: string, wanted: string): never {
  throw new Error(`the item ${key.pk} / ${key.sk} has no ${wanted} in its attribute ${attribute}`);
}

/** @returns the attribute as a number. */
export function numberIn(item: Item, attribute: string): number {
  const value = item[attribute];
  return typeof value === 'number' ? value : refuse(item, attribute, 'number');
}

/** @returns the attribute as text. */
export function textIn(item: Item, attribute: string): string {
  const value = item[attribute];
  return typeof value === 'string' ? value : refuse(item, attribute, 'text');
}

/** @returns the attribute as bytes. */
export function bytesIn(item: Item, attribute: string): Uint8Array {
  const value = item[attribute];
  return value instanceof Uint8Array ? value : refuse(item, attribute, 'bytes');
}

/** @returns the attribute as a list. */
export function listIn(item: Item, attribute: string): readonly unknown[] {
  const value = item[attribute];
  return Array.isArray(value) ? value : refuse(item, attribute, 'list');
}

/** @returns `value` as an object whose members can be looked at, or undefined. */
export function asRecord(value: unknown): Readonly<Record<string, unknown>> | undefined {
  // the check above the cast is all that a record of unknown members promises
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined;
}

/** @returns about how many bytes the item takes on the wire: what the batches are cut by. */
export function sizeOf(item: Item): number {
  let size = 0;
  for (const [name, value] of Object.entries(item)) size += name.length + sizeOfValue(value);
  return size;
}

function sizeOfValue(value: unknown): number {
  if (typeof value === 'string') return value.length * 2;
  if (value instanceof Uint8Array) return Math.ceil((value.length * 4) / 3); // base64
  if (Array.isArray(value)) return value.reduce<number>((sum, member) => sum + sizeOfValue(member), 8);
  const record = asRecord(value);
  if (record === undefined) return 12;
  return Object.entries(record).reduce((sum, [name, member]) => sum + name.length + sizeOfValue(member), 8);
}
