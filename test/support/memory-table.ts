import {
  ConditionalCheckFailedException,
  DynamoDBClient,
  ProvisionedThroughputExceededException,
} from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { compareText } from '../../shared/lib/compare-text.ts';
import { Limiter } from '../../shared/lib/concurrency.ts';
import { Calls } from '../../shared/store/table/calls.ts';
import { asRecord, type Item, sizeOf, toItem } from '../../shared/store/table/item.ts';
import type { Key } from '../../shared/store/table/item-keys.ts';
import { Reads } from '../../shared/store/table/reads.ts';
import { Table } from '../../shared/store/table/table.ts';
import type { ThrottlePolicy } from '../../shared/store/table/write-rate.ts';
import { applyUpdate, holds, invalid, type Placeholders } from './memory-expressions.ts';

/** DynamoDB's limits of an item, a page of a Query and the response to a BatchGetItem, in bytes, and of the members of a batch. */
const [ITEM_BYTES, PAGE_BYTES, RESPONSE_BYTES, GET_KEYS, WRITE_ITEMS] = [409_600, 1 << 20, 16 << 20, 100, 25];

/** The members of requests that `Table` sends, as the document client has them. */
interface Input extends Placeholders {
  readonly Key: Key;
  readonly Item: Readonly<Record<string, unknown>>;
  readonly ConsistentRead?: boolean;
  readonly KeyConditionExpression: string;
  readonly ConditionExpression?: string;
  readonly UpdateExpression: string;
  readonly ReturnValues?: string;
  readonly ExclusiveStartKey?: Key;
  readonly Limit?: number;
}
interface Batch<Member> {
  readonly RequestItems: Readonly<Record<string, Member>>;
}
interface Gets {
  readonly Keys: readonly Key[];
  readonly ConsistentRead?: boolean;
}
type Write = { readonly PutRequest: Pick<Input, 'Item'> } | { readonly DeleteRequest: Pick<Input, 'Key'> };

/** Tables in memory are made from it, with a `send` of their own. */
const CLIENT = DynamoDBDocumentClient.from(new DynamoDBClient({ region: 'us-east-1' }));

interface MemoryTable {
  readonly table: Table;
  /** @returns all items, in no particular order */
  readonly items: () => Item[];
}

interface MemoryOptions {
  /** Whether the partition now takes a write of so many units; else it is throttled. Default: always. */
  readonly accept?: (pk: string, units: number) => boolean;
  readonly throttling?: ThrottlePolicy;
}

/** A DynamoDB table in the memory of this process: the SDK's commands are carried out here instead of sent. */
export function openMemoryTable(tableName: string, { accept, throttling }: MemoryOptions = {}): MemoryTable {
  const stored = new Map<string, Map<string, Item>>();
  const find = ({ pk, sk }: Key) => stored.get(pk)?.get(sk);

  /** Replaces the item; undefined deletes it. @returns the write units. @throws ProvisionedThroughputExceededException */
  const write = ({ pk, sk }: Key, item: Item | undefined): number => {
    const partition = stored.get(pk) ?? new Map<string, Item>();
    const units = Math.max(...[partition.get(sk), item].map((version) => unitsOf(version, 1024)));
    if (accept?.(pk, units) === false) throw throttled();
    stored.set(pk, partition);
    if (item === undefined) partition.delete(sk);
    else partition.set(sk, item);
    return units;
  };
  const expectCondition = (key: Key, input: Input) => {
    const { ConditionExpression } = input;
    if (ConditionExpression === undefined || holds(ConditionExpression, input, find(key))) return;
    throw new ConditionalCheckFailedException({ message: 'The conditional request failed', $metadata: {} });
  };

  const operations: Readonly<Record<string, (input: never) => object>> = {
    GetCommand: ({ Key, ConsistentRead }: Input) => {
      const item = find(Key);
      return { Item: item && copy(item), ...consumed(unitsOf(item, 4096) / (ConsistentRead ? 1 : 2)) };
    },

    QueryCommand: ({
      KeyConditionExpression,
      ExclusiveStartKey,
      Limit = Number.POSITIVE_INFINITY,
      ...input
    }: Input) => {
      const partition = stored.get(String(input.ExpressionAttributeValues?.[':pk'])) ?? [];
      const selected = [...partition].filter(([, item]) => holds(KeyConditionExpression, input, item));
      selected.sort(([a], [b]) => compareText(a, b));
      const start = ExclusiveStartKey?.sk;
      const left = start === undefined ? selected : selected.filter(([sk]) => compareText(sk, start) > 0);
      const page: Item[] = [];
      let bytes = 0;
      for (const [, item] of left) {
        if (page.length === Limit || bytes >= PAGE_BYTES) break;
        page.push(copy(item));
        bytes += sizeOf(item);
      }
      const { pk, sk } = page.at(-1) ?? {};
      const next = page.length < left.length && { LastEvaluatedKey: { pk, sk } };
      return { Items: page, ...next, ...consumed(countUnits(bytes, 4096) / (input.ConsistentRead ? 1 : 2)) };
    },

    BatchGetCommand: ({ RequestItems }: Batch<Gets>) => {
      const { Keys, ConsistentRead } = RequestItems[tableName] ?? { Keys: [] };
      checkBatch(Keys, GET_KEYS);
      const found: Item[] = [];
      let [next, bytes, units] = [0, 0, 0];
      for (; next < Keys.length && bytes < RESPONSE_BYTES; next++) {
        const item = find(Keys[next] as Key); // `next` is less than the length
        units += unitsOf(item, 4096) / (ConsistentRead ? 1 : 2);
        if (item === undefined) continue;
        found.push(copy(item));
        bytes += sizeOf(item);
      }
      const left = next < Keys.length && { [tableName]: { Keys: Keys.slice(next) } };
      return { Responses: { [tableName]: found }, UnprocessedKeys: left || {}, ...consumed(units) };
    },

    PutCommand: (input: Input) => {
      const item = toStored(input.Item);
      expectCondition(item, input);
      return consumed(write(item, item));
    },

    UpdateCommand: (input: Input) => {
      expectCondition(input.Key, input);
      const changed = { ...copy(find(input.Key) ?? input.Key) };
      applyUpdate(input.UpdateExpression, input, changed);
      const item = toStored(changed);
      const units = write(input.Key, item);
      return { ...(input.ReturnValues === 'ALL_NEW' && { Attributes: copy(item) }), ...consumed(units) };
    },

    DeleteCommand: (input: Input) => {
      expectCondition(input.Key, input);
      return consumed(write(input.Key, undefined));
    },

    BatchWriteCommand: ({ RequestItems }: Batch<readonly Write[]>) => {
      const writes = (RequestItems[tableName] ?? []).map((request) => {
        const item = 'PutRequest' in request ? toStored(request.PutRequest.Item) : undefined;
        return { request, key: 'DeleteRequest' in request ? request.DeleteRequest.Key : (item as Item), item };
      });
      checkBatch(
        writes.map(({ key }) => key),
        WRITE_ITEMS,
      );
      let units = 0;
      const left = writes.filter(({ key, item }) => {
        try {
          units += write(key, item);
        } catch {
          return true; // throttled
        }
        return false;
      });
      if (left.length === writes.length) throw throttled();
      const unprocessed = left.length > 0 && { [tableName]: left.map(({ request }) => request) };
      return { UnprocessedItems: unprocessed || {}, ...consumed(units) };
    },
  };

  const send = async (command: { readonly input: unknown }) => {
    const { name } = command.constructor;
    const operation = operations[name];
    if (operation === undefined) throw new Error(`a table in memory does not have ${name}`);
    return operation(command.input as never); // each operation has the type of its command's input
  };
  const client = Object.create(CLIENT, {
    send: { value: send },
    middlewareStack: { value: CLIENT.middlewareStack.clone() },
  });
  const connection = { tableName, client, reads: new Reads(client), maxRetries: 9, rate: throttling?.rate };
  return {
    table: new Table(connection, new Calls(new Limiter(16), throttling)),
    items: () => [...stored.values()].flatMap((partition) => [...partition.values()].map(copy)),
  };
}

const consumed = (CapacityUnits: number) => ({ ConsumedCapacity: { CapacityUnits } });
const unitsOf = (item: Item | undefined, unit: number): number =>
  countUnits(item === undefined ? 0 : sizeOf(item), unit);
const countUnits = (bytes: number, unit: number): number => Math.max(1, Math.ceil(bytes / unit));

const throttled = () => new ProvisionedThroughputExceededException({ message: 'throttled', $metadata: {} });

/** @returns a copy of the item. @throws ValidationException if it is too large, or a key is empty */
function toStored(attributes: Readonly<Record<string, unknown>>): Item {
  const item = toItem(copy(attributes));
  if (item.pk === '' || item.sk === '') throw invalid('a key is empty');
  const bytes = sizeOf(item);
  if (bytes > ITEM_BYTES)
    throw invalid(`the size of the item ${item.pk} / ${item.sk} exceeds the maximum: ${bytes} bytes`);
  return item;
}

function checkBatch(keys: readonly Key[], max: number): void {
  const distinct = new Set(keys.map(({ pk, sk }) => `${pk}\0${sk}`)).size;
  if (keys.length === 0 || keys.length > max || distinct < keys.length)
    throw invalid(`a batch has ${keys.length} keys, of which ${distinct} differ`);
}

/** @returns a copy without undefined members, as the SDK sends it, so that neither side changes what the other one has */
function copy<Value>(value: Value): Value;
function copy(value: unknown): unknown {
  if (value === null || ['string', 'boolean'].includes(typeof value)) return value;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  if (value instanceof Uint8Array) return new Uint8Array(value);
  if (Array.isArray(value)) return value.map(copy);
  const record = asRecord(value);
  const isPlain = record !== undefined && !(value instanceof Set) && !(value instanceof Map);
  if (!isPlain) throw invalid(`${String(value)} cannot be stored`);
  const members = Object.entries(record).filter(([, member]) => member !== undefined);
  return Object.fromEntries(members.map(([name, member]) => [name, copy(member)]));
}
