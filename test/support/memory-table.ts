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
import { holds, invalid, type Placeholders, update } from './memory-expressions.ts';

/** DynamoDB's limits of an item, a page of a Query and the response to a BatchGetItem, in bytes, and of the members of a batch. */
const [ITEM_BYTES, PAGE_BYTES, RESPONSE_BYTES, GET_KEYS, WRITE_ITEMS] = [409_600, 1 << 20, 16 << 20, 100, 25];

/** The members of requests that `Table` sends, as the document client has them. */
interface Input extends Placeholders {
  readonly Key: Key;
  readonly Item: Attributes;
  readonly ConsistentRead?: boolean;
  readonly KeyConditionExpression: string;
  readonly ConditionExpression?: string;
  readonly UpdateExpression: string;
  readonly ExclusiveStartKey?: Key;
  readonly Limit?: number;
}
interface Batch<Member> {
  readonly RequestItems: Readonly<Record<string, Member>>;
}
interface Write {
  readonly PutRequest?: { readonly Item: Attributes };
  readonly DeleteRequest?: { readonly Key: Key };
}
type Attributes = Readonly<Record<string, unknown>>;

interface MemoryOptions {
  /** Whether the partition now takes a write of so many units; else it is throttled. Default: always. */
  readonly accept?: (pk: string, units: number) => boolean;
  readonly throttling?: ThrottlePolicy;
}

/** Tables in memory are made from it, with a `send` of their own. */
const CLIENT = DynamoDBDocumentClient.from(new DynamoDBClient({ region: 'us-east-1' }));

/**
 * A DynamoDB table in the memory of this process: the SDK's commands are carried out here instead of sent.
 * @returns the table, and a function that returns all items, in no particular order
 */
export function openMemoryTable(tableName: string, { accept, throttling }: MemoryOptions = {}) {
  const stored = new Map<string, Map<string, Item>>();
  const find = ({ pk, sk }: Key) => stored.get(pk)?.get(sk);

  /** Replaces the item; undefined deletes it. @returns the write units. @throws ProvisionedThroughputExceededException */
  const write = ({ pk, sk }: Key, item: Item | undefined): number => {
    const partition = stored.get(pk) ?? new Map<string, Item>();
    const units = Math.max(...[partition.get(sk), item].map((version) => unitsOf(bytesOf(version), 1024)));
    if (accept?.(pk, units) === false) throw throttled();
    stored.set(pk, partition);
    if (item === undefined) partition.delete(sk);
    else partition.set(sk, item);
    return units;
  };
  const writeIf = (input: Input, key: Key, change: () => Item | undefined) => {
    const { ConditionExpression: condition } = input;
    if (condition !== undefined && !holds(condition, input, find(key)))
      throw new ConditionalCheckFailedException({ message: 'The conditional request failed', $metadata: {} });
    const item = change();
    return { Attributes: item && copy(item), ...consumed(write(key, item)) };
  };

  const operations: Readonly<Record<string, (input: never) => object>> = {
    GetCommand: ({ Key, ConsistentRead }: Input) => {
      const item = find(Key);
      return { Item: item && copy(item), ...consumedByReads(unitsOf(bytesOf(item), 4096), ConsistentRead) };
    },
    QueryCommand: ({ KeyConditionExpression, ExclusiveStartKey: start, Limit, ConsistentRead, ...input }: Input) => {
      const partition = stored.get(String(input.ExpressionAttributeValues?.[':pk'])) ?? new Map<string, Item>();
      const selected = [...partition.values()].filter((item) => holds(KeyConditionExpression, input, item));
      const left = selected.filter(({ sk }) => start === undefined || compareText(sk, start.sk) > 0);
      left.sort((a, b) => compareText(a.sk, b.sk));
      const page: Item[] = [];
      let bytes = 0;
      for (const item of left) {
        if (page.length === Limit || bytes >= PAGE_BYTES) break;
        page.push(copy(item));
        bytes += bytesOf(item);
      }
      const { pk, sk } = page.at(-1) ?? {};
      const LastEvaluatedKey = page.length < left.length ? { pk, sk } : undefined;
      return { Items: page, LastEvaluatedKey, ...consumedByReads(unitsOf(bytes, 4096), ConsistentRead) };
    },
    BatchGetCommand: ({
      RequestItems,
    }: Batch<{ readonly Keys: readonly Key[]; readonly ConsistentRead?: boolean }>) => {
      const { Keys = [], ConsistentRead } = RequestItems[tableName] ?? {};
      checkBatch(Keys, GET_KEYS);
      const found: Item[] = [];
      const left: Key[] = [];
      let [bytes, units] = [0, 0];
      for (const key of Keys) {
        const item = find(key);
        if (bytes >= RESPONSE_BYTES) left.push(key);
        else units += unitsOf(bytesOf(item), 4096);
        if (bytes < RESPONSE_BYTES && item !== undefined) found.push(copy(item));
        bytes += bytesOf(item);
      }
      const UnprocessedKeys = left.length > 0 ? { [tableName]: { Keys: left } } : {};
      return { Responses: { [tableName]: found }, UnprocessedKeys, ...consumedByReads(units, ConsistentRead) };
    },
    PutCommand: (input: Input) => writeIf(input, toItem(input.Item), () => toStored(input.Item)),
    UpdateCommand: (input: Input) =>
      writeIf(input, input.Key, () => {
        return toStored(update(input.UpdateExpression, input, find(input.Key) ?? { ...input.Key }));
      }),
    DeleteCommand: (input: Input) => writeIf(input, input.Key, () => undefined),
    BatchWriteCommand: ({ RequestItems }: Batch<readonly Write[]>) => {
      const writes = (RequestItems[tableName] ?? []).map((request) => {
        const item = request.PutRequest && toStored(request.PutRequest.Item);
        return { request, item, key: item ?? (request.DeleteRequest?.Key as Key) }; // a request has one of the two
      });
      checkBatch(
        writes.map(({ key }) => key),
        WRITE_ITEMS,
      );
      let units = 0;
      const left: Write[] = [];
      for (const { request, key, item } of writes) {
        try {
          units += write(key, item);
        } catch {
          left.push(request); // it was throttled
        }
      }
      if (left.length === writes.length) throw throttled();
      return { UnprocessedItems: left.length > 0 ? { [tableName]: left } : {}, ...consumed(units) };
    },
  };

  const send = async (command: { readonly input: unknown }) => {
    const operation = operations[command.constructor.name];
    if (operation === undefined) throw new Error(`a table in memory has no ${command.constructor.name}`);
    return operation(command.input as never); // each operation has the type of its command's input
  };
  const own = { send: { value: send }, middlewareStack: { value: CLIENT.middlewareStack.clone() } };
  const client: DynamoDBDocumentClient = Object.create(CLIENT, own);
  const connection = { tableName, client, reads: new Reads(client), maxRetries: 9, rate: throttling?.rate };
  const table = new Table(connection, new Calls(new Limiter(16), throttling));
  return { table, items: (): Item[] => [...stored.values()].flatMap((partition) => [...partition.values()].map(copy)) };
}

const throttled = () => new ProvisionedThroughputExceededException({ message: 'throttled', $metadata: {} });
const consumed = (CapacityUnits: number) => ({ ConsumedCapacity: { CapacityUnits } });
const consumedByReads = (units: number, isConsistent = false) => consumed(isConsistent ? units : units / 2);
const unitsOf = (bytes: number, unit: number): number => Math.max(1, Math.ceil(bytes / unit));
const bytesOf = (item: Item | undefined): number => (item === undefined ? 0 : sizeOf(item));

function checkBatch(keys: readonly Key[], max: number): void {
  const distinct = new Set(keys.map(({ pk, sk }) => `${pk}\0${sk}`)).size;
  if (keys.length === 0 || keys.length > max || distinct < keys.length)
    throw invalid(`a batch has ${keys.length} keys, of which ${distinct} differ`);
}

/** @returns a copy of the item. @throws ValidationException if it is too large, or a key is empty */
function toStored(attributes: Attributes): Item {
  const item = toItem(copy(attributes));
  if (item.pk === '' || item.sk === '') throw invalid('a key is empty');
  if (sizeOf(item) > ITEM_BYTES) throw invalid(`the size of the item ${item.pk} / ${item.sk} exceeds the maximum`);
  return item;
}

/** @returns a copy without undefined members, as the SDK sends it, so that neither side changes what the other one has */
function copy<Value>(value: Value): Value;
function copy(value: unknown): unknown {
  if (value instanceof Uint8Array) return new Uint8Array(value);
  if (Array.isArray(value)) return value.map(copy);
  const record = asRecord(value);
  if (record === undefined) return value;
  const members = Object.entries(record).filter(([, member]) => member !== undefined);
  return Object.fromEntries(members.map(([name, member]) => [name, copy(member)]));
}
