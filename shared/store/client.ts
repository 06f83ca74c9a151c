import { setTimeout as sleep } from 'node:timers/promises';
import type { ReturnConsumedCapacity } from '@aws-sdk/client-dynamodb';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  BatchGetCommand,
  BatchWriteCommand,
  DeleteCommand,
  DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { ApiError } from '../errors.ts';
import type { Item } from './item.ts';
import { sizeOf } from './item.ts';
import type { Key } from './keys.ts';
import { Limiter } from './limiter.ts';

/** What the calls of a table used, in DynamoDB's capacity units; a page of a Query and each part of a batch is a call. */
export interface Meter {
  readUnits: number;
  writeUnits: number;
  calls: number;
}

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

export interface TableOptions {
  readonly tableName: string;
  readonly endpoint?: string;
  readonly region?: string;
  /** Calls under way at once: also the number of sockets, so that no call waits for one inside its time limit. */
  readonly concurrency?: number;
  /** Time limit of one call in milliseconds. */
  readonly requestMs?: number;
  /** How often one call is tried before it counts as failed. */
  readonly attempts?: number;
}

const CONNECT_MS = 500;
const BATCH_GET_KEYS = 100;
const BATCH_WRITE_ITEMS = 25;
// BatchWriteItem takes 16 MB; smaller ones come back within the time limit on a slow line
const BATCH_WRITE_BYTES = 4_000_000;
const UNPROCESSED_TRIES = 12;
const UNPROCESSED_WAIT_MS = 25;
const TOTAL: ReturnConsumedCapacity = 'TOTAL';

/**
 * @returns the table; its client is made here once, so callers do this at module top. Whatever the options leave out comes from the SDK's default
 * chain (`AWS_REGION`, `AWS_ENDPOINT_URL_DYNAMODB`, credentials).
 */
export function openTable(options: TableOptions): Table {
  const concurrency = options.concurrency ?? 16;
  const agent = { keepAlive: true, maxSockets: concurrency };
  const client = new DynamoDBClient({
    ...(options.endpoint === undefined ? {} : { endpoint: options.endpoint }),
    ...(options.region === undefined ? {} : { region: options.region }),
    maxAttempts: options.attempts ?? 3,
    requestHandler: {
      connectionTimeout: CONNECT_MS,
      requestTimeout: options.requestMs ?? 3_000,
      throwOnRequestTimeout: true,
      httpAgent: agent,
      httpsAgent: agent,
    },
  });
  const documents = DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } });
  return new Table(options.tableName, documents, new Limiter(concurrency), [], undefined);
}

/**
 * The one table, thinly: keys in, items out, every call counted. Throttling, outages and silent connections are thrown as STORE_BUSY once the tries
 * are used up; an aborted signal as its reason; a wrong request as the SDK's own error.
 */
export class Table {
  readonly name: string;
  private readonly documents: DynamoDBDocumentClient;
  private readonly limiter: Limiter;
  private readonly meters: readonly Meter[];
  private readonly signal: AbortSignal | undefined;

  constructor(
    name: string,
    documents: DynamoDBDocumentClient,
    limiter: Limiter,
    meters: readonly Meter[],
    signal: AbortSignal | undefined,
  ) {
    this.name = name;
    this.documents = documents;
    this.limiter = limiter;
    this.meters = meters;
    this.signal = signal;
  }

  /** @returns the same table, its calls also counted in `meter`. */
  metered(meter: Meter): Table {
    return new Table(this.name, this.documents, this.limiter, [...this.meters, meter], this.signal);
  }

  /** @returns the same table, its calls ending with the signal's reason when it aborts. */
  withSignal(signal: AbortSignal): Table {
    const both = this.signal === undefined ? signal : AbortSignal.any([this.signal, signal]);
    return new Table(this.name, this.documents, this.limiter, this.meters, both);
  }

  async get(key: Key, options: { consistent: boolean }): Promise<Item | undefined> {
    const { pk, sk } = key;
    const command = { TableName: this.name, Key: { pk, sk }, ConsistentRead: options.consistent };
    const answer = await this.call((abortSignal) =>
      this.documents.send(new GetCommand({ ...command, ReturnConsumedCapacity: TOTAL }), { abortSignal }),
    );
    this.countReads(answer.ConsumedCapacity);
    return answer.Item === undefined ? undefined : toItem(answer.Item);
  }

  /** @returns one entry per key, in the keys' order; undefined where there is no item. Hundreds of keys are read side by side. */
  async getMany(keys: readonly Key[], options: { consistent: boolean }): Promise<(Item | undefined)[]> {
    const distinct = new Map(keys.map(({ pk, sk }) => [nameOf({ pk, sk }), { pk, sk }]));
    const found = new Map<string, Item>();
    await Promise.all(
      inGroups([...distinct.values()], BATCH_GET_KEYS).map(async (group) => {
        for (const item of await this.getGroup(group, options.consistent)) found.set(nameOf(item), item);
      }),
    );
    return keys.map((key) => found.get(nameOf(key)));
  }

  /** @returns the items of one partition in the order of their sort keys, all pages of the answer joined. */
  async query(range: RangeQuery): Promise<Item[]> {
    const items: Item[] = [];
    let start: Record<string, unknown> | undefined;
    do {
      const left = range.limit === undefined ? undefined : range.limit - items.length;
      const command = queryCommand(this.name, range, left, start);
      const answer = await this.call((abortSignal) => this.documents.send(command, { abortSignal }));
      this.countReads(answer.ConsumedCapacity);
      for (const raw of answer.Items ?? []) items.push(toItem(raw));
      start = answer.LastEvaluatedKey;
    } while (start !== undefined && (range.limit === undefined || items.length < range.limit));
    return items;
  }

  /** @returns whether it was written: false means that the condition does not hold. */
  async put(item: Item, condition?: Expression): Promise<boolean> {
    return this.write((abortSignal) =>
      this.documents.send(
        new PutCommand({ TableName: this.name, Item: item, ...conditionOf(condition), ReturnConsumedCapacity: TOTAL }),
        { abortSignal },
      ),
    );
  }

  /** @returns whether it was written: false means that the condition does not hold. */
  async update(key: Key, change: Expression, condition?: Expression): Promise<boolean> {
    const command = new UpdateCommand({
      TableName: this.name,
      Key: { pk: key.pk, sk: key.sk },
      UpdateExpression: change.text,
      ...(condition === undefined ? {} : { ConditionExpression: condition.text }),
      ...placeholders([change, ...(condition === undefined ? [] : [condition])]),
      ReturnConsumedCapacity: TOTAL,
    });
    return this.write((abortSignal) => this.documents.send(command, { abortSignal }));
  }

  /** @returns whether the condition held; an item that is not there is as good as deleted. */
  async delete(key: Key, condition?: Expression): Promise<boolean> {
    const { pk, sk } = key;
    return this.write((abortSignal) =>
      this.documents.send(
        new DeleteCommand({
          TableName: this.name,
          Key: { pk, sk },
          ...conditionOf(condition),
          ReturnConsumedCapacity: TOTAL,
        }),
        { abortSignal },
      ),
    );
  }

  /** Writes all of the items, whose keys differ, in no particular order; what is there already is replaced. */
  async putMany(items: readonly Item[]): Promise<void> {
    const groups = inSizedGroups(items);
    await Promise.all(groups.map((group) => this.writeGroup(group.map((Item) => ({ PutRequest: { Item } })))));
  }

  /** Deletes what there is of the keys, which differ. */
  async deleteMany(keys: readonly Key[]): Promise<void> {
    const requests = keys.map(({ pk, sk }) => ({ DeleteRequest: { Key: { pk, sk } } }));
    await Promise.all(inGroups(requests, BATCH_WRITE_ITEMS).map((group) => this.writeGroup(group)));
  }

  private async getGroup(keys: readonly Key[], consistent: boolean): Promise<Item[]> {
    const items: Item[] = [];
    let left: Record<string, unknown>[] = keys.map(({ pk, sk }) => ({ pk, sk }));
    for (let attempt = 0; left.length > 0; attempt += 1) {
      await this.pauseBefore(attempt);
      const request = { [this.name]: { Keys: left, ConsistentRead: consistent } };
      const answer = await this.call((abortSignal) =>
        this.documents.send(new BatchGetCommand({ RequestItems: request, ReturnConsumedCapacity: TOTAL }), {
          abortSignal,
        }),
      );
      for (const used of answer.ConsumedCapacity ?? []) this.countReads(used);
      const found = answer.Responses?.[this.name] ?? [];
      for (const raw of found) items.push(toItem(raw));
      left = answer.UnprocessedKeys?.[this.name]?.Keys ?? [];
      if (found.length > 0) attempt = -1; // an answer cut at 16 MB is progress, not refusal
    }
    return items;
  }

  private async writeGroup(requests: WriteRequests): Promise<void> {
    let left = requests;
    for (let attempt = 0; left.length > 0; attempt += 1) {
      await this.pauseBefore(attempt);
      const answer = await this.call((abortSignal) =>
        this.documents.send(
          new BatchWriteCommand({ RequestItems: { [this.name]: left }, ReturnConsumedCapacity: TOTAL }),
          { abortSignal },
        ),
      );
      for (const used of answer.ConsumedCapacity ?? []) this.countWrites(used);
      left = answer.UnprocessedItems?.[this.name] ?? [];
    }
  }

  /** Waits longer before each further try, at random so that many callers do not return together. */
  private async pauseBefore(attempt: number): Promise<void> {
    if (attempt === 0) return;
    if (attempt >= UNPROCESSED_TRIES) throw busy(undefined);
    const longest = Math.min(2_000, UNPROCESSED_WAIT_MS * 2 ** attempt);
    await sleep(longest / 2 + (Math.random() * longest) / 2, undefined, {
      ...(this.signal === undefined ? {} : { signal: this.signal }),
    }).catch(() => this.signal?.throwIfAborted());
  }

  private async write(
    send: (signal: AbortSignal) => Promise<{ ConsumedCapacity?: Used | undefined }>,
  ): Promise<boolean> {
    try {
      const answer = await this.call(send);
      this.countWrites(answer.ConsumedCapacity);
      return true;
    } catch (error) {
      if (error instanceof Error && error.name === 'ConditionalCheckFailedException') return false;
      throw error;
    }
  }

  private async call<T>(send: (signal: AbortSignal) => Promise<T>): Promise<T> {
    return this.limiter.run(async () => {
      this.signal?.throwIfAborted();
      for (const meter of this.meters) meter.calls += 1;
      try {
        return await send(this.signal ?? NEVER);
      } catch (error) {
        this.signal?.throwIfAborted();
        throw translate(error);
      }
    });
  }

  private countReads(used: Used | undefined): void {
    for (const meter of this.meters) meter.readUnits += used?.CapacityUnits ?? 0;
  }

  private countWrites(used: Used | undefined): void {
    for (const meter of this.meters) meter.writeUnits += used?.CapacityUnits ?? 0;
  }
}

interface Used {
  readonly CapacityUnits?: number | undefined;
}

type WriteRequests = NonNullable<NonNullable<BatchWriteCommand['input']['RequestItems']>[string]>;

const NEVER = new AbortController().signal;

const BUSY_ERRORS: ReadonlySet<string> = new Set([
  'ProvisionedThroughputExceededException',
  'ThrottlingException',
  'RequestLimitExceeded',
  'LimitExceededException',
  'InternalServerError',
  'ServiceUnavailable',
  'TimeoutError',
]);

const BUSY_CODES: ReadonlySet<string> = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND']);

/** @returns what to throw for an error of the SDK: STORE_BUSY when trying again later can help, else the error itself. */
function translate(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return BUSY_ERRORS.has(error.name) || BUSY_CODES.has(code) ? busy(error) : error;
}

function busy(cause: unknown): ApiError {
  const detail = 'The data store does not keep up at the moment. Try again in a second.';
  return new ApiError('STORE_BUSY', detail, { headers: { 'Retry-After': '1' }, cause });
}

function queryCommand(
  table: string,
  range: RangeQuery,
  limit: number | undefined,
  start: Record<string, unknown> | undefined,
): QueryCommand {
  const { pk, from, to } = range;
  const bounds =
    from !== undefined && to !== undefined
      ? ' AND sk BETWEEN :from AND :to'
      : from !== undefined
        ? ' AND sk >= :from'
        : to !== undefined
          ? ' AND sk <= :to'
          : '';
  return new QueryCommand({
    TableName: table,
    KeyConditionExpression: `pk = :pk${bounds}`,
    ExpressionAttributeValues: {
      ':pk': pk,
      ...(from === undefined ? {} : { ':from': from }),
      ...(to === undefined ? {} : { ':to': to }),
    },
    ConsistentRead: range.consistent,
    ScanIndexForward: range.reverse !== true,
    ...(limit === undefined ? {} : { Limit: limit }),
    ...(start === undefined ? {} : { ExclusiveStartKey: start }),
    ReturnConsumedCapacity: TOTAL,
  });
}

function conditionOf(condition: Expression | undefined): {
  ConditionExpression?: string;
  ExpressionAttributeNames?: Record<string, string>;
  ExpressionAttributeValues?: Record<string, unknown>;
} {
  return condition === undefined ? {} : { ConditionExpression: condition.text, ...placeholders([condition]) };
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

function toItem(raw: Record<string, unknown>): Item {
  const { pk, sk } = raw;
  if (typeof pk !== 'string' || typeof sk !== 'string') throw new Error('the table has other keys than pk and sk');
  return { ...raw, pk, sk };
}

const nameOf = (key: Key): string => `${key.pk}\0${key.sk}`;

function inGroups<T>(members: readonly T[], size: number): T[][] {
  const groups: T[][] = [];
  for (let start = 0; start < members.length; start += size) groups.push(members.slice(start, start + size));
  return groups;
}

function inSizedGroups(items: readonly Item[]): Item[][] {
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
