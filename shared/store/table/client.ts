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
import { ApiError } from '../../lib/errors.ts';
import { Limiter } from '../../lib/limiter.ts';
import type { Item } from './item.ts';
import type { Key } from './keys.ts';
import type { Expression, RangeQuery } from './requests.ts';
import {
  BATCH_GET_KEYS,
  BATCH_WRITE_ITEMS,
  conditionInput,
  inGroups,
  inSizedGroups,
  rangeInput,
  updateInput,
} from './requests.ts';

/** What the calls of a table used, in DynamoDB's capacity units; a page of a Query and each part of a batch is a call. */
export interface Meter {
  readUnits: number;
  writeUnits: number;
  calls: number;
}

export interface TableOptions {
  readonly tableName: string;
  readonly endpoint?: string;
  readonly region?: string;
  /** Calls under way at once. There are as many sockets, so that no call waits for one inside its time limit. */
  readonly concurrency?: number;
  /** Time limit of one call in milliseconds. */
  readonly requestMs?: number;
  /** How often one call is tried before it counts as failed. */
  readonly attempts?: number;
}

const CONNECT_MS = 500;
/** For the calls that do not wait for others. */
const SOCKETS_AHEAD = 2;
const UNPROCESSED_TRIES = 3; // for each of the table's attempts
const UNPROCESSED_WAIT_MS = 25;
const TOTAL: ReturnConsumedCapacity = 'TOTAL';

/**
 * @returns the table; its client is made here once, so callers do this at module top. Whatever the options leave out comes from the SDK's default
 * chain (`AWS_REGION`, `AWS_ENDPOINT_URL_DYNAMODB`, credentials).
 */
export function openTable(options: TableOptions): Table {
  const { concurrency = 16, attempts = 3 } = options;
  const agent = { keepAlive: true, maxSockets: concurrency + SOCKETS_AHEAD };
  const client = new DynamoDBClient({
    ...(options.endpoint === undefined ? {} : { endpoint: options.endpoint }),
    ...(options.region === undefined ? {} : { region: options.region }),
    maxAttempts: attempts,
    requestHandler: {
      connectionTimeout: CONNECT_MS,
      requestTimeout: options.requestMs ?? 3_000,
      throwOnRequestTimeout: true,
      httpAgent: agent,
      httpsAgent: agent,
    },
  });
  const documents = DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } });
  const limiter = new Limiter(concurrency);
  return new Table(
    { tableName: options.tableName, documents, limiter, tries: attempts * UNPROCESSED_TRIES },
    [],
    undefined,
  );
}

/** What the forms of one table share. */
interface Connection {
  readonly tableName: string;
  readonly documents: DynamoDBDocumentClient;
  readonly limiter: Limiter;
  /** How often what a batch leaves unprocessed is sent again without any progress. */
  readonly tries: number;
}

/**
 * The one table, thinly: keys in, items out, every call counted. Throttling, outages and silent connections are thrown as STORE_BUSY once the tries
 * are used up; an aborted signal as its reason; a wrong request as the SDK's own error.
 */
export class Table {
  readonly name: string;
  private readonly connection: Connection;
  private readonly documents: DynamoDBDocumentClient;
  private readonly meters: readonly Meter[];
  private readonly signal: AbortSignal | undefined;

  constructor(connection: Connection, meters: readonly Meter[], signal: AbortSignal | undefined) {
    this.name = connection.tableName;
    this.connection = connection;
    this.documents = connection.documents;
    this.meters = meters;
    this.signal = signal;
  }

  /** @returns the same table, its calls also counted in `meter`. */
  metered(meter: Meter): Table {
    return new Table(this.connection, [...this.meters, meter], this.signal);
  }

  /** @returns the same table, its calls ending with the signal's reason when it aborts. */
  withSignal(signal: AbortSignal): Table {
    const both = this.signal === undefined ? signal : AbortSignal.any([this.signal, signal]);
    return new Table(this.connection, this.meters, both);
  }

  /** @returns the same table, its calls not waiting for others that came before: for the few that others depend on. */
  unlimited(): Table {
    const limiter = new Limiter(Number.POSITIVE_INFINITY);
    return new Table({ ...this.connection, limiter }, this.meters, this.signal);
  }

  async get(key: Key, options: { consistent: boolean }): Promise<Item | undefined> {
    const command = new GetCommand({ ...this.one(key), ConsistentRead: options.consistent });
    const answer = await this.call((how) => this.documents.send(command, how));
    this.countReads(answer.ConsumedCapacity);
    return answer.Item === undefined ? undefined : toItem(answer.Item);
  }

  /** @returns one entry per key, in the keys' order; undefined where there is no item. Hundreds of keys are read side by side. */
  async getMany(keys: readonly Key[], options: { consistent: boolean }): Promise<(Item | undefined)[]> {
    const distinct = new Map(keys.map((key) => [nameOf(key), bare(key)]));
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
      const command = new QueryCommand({
        TableName: this.name,
        ...rangeInput(range, range.limit === undefined ? undefined : range.limit - items.length),
        ...(start === undefined ? {} : { ExclusiveStartKey: start }),
        ReturnConsumedCapacity: TOTAL,
      });
      const answer = await this.call((how) => this.documents.send(command, how));
      this.countReads(answer.ConsumedCapacity);
      for (const raw of answer.Items ?? []) items.push(toItem(raw));
      start = answer.LastEvaluatedKey;
    } while (start !== undefined && (range.limit === undefined || items.length < range.limit));
    return items;
  }

  /** @returns whether it was written: false means that the condition does not hold. */
  put(item: Item, condition?: Expression): Promise<boolean> {
    const input = { TableName: this.name, Item: item, ReturnConsumedCapacity: TOTAL };
    const command = new PutCommand({ ...input, ...conditionInput(condition) });
    return this.write((how) => this.documents.send(command, how));
  }

  /** @returns whether it was written: false means that the condition does not hold. */
  update(key: Key, change: Expression, condition?: Expression): Promise<boolean> {
    const command = new UpdateCommand({ ...this.one(key), ...updateInput(change, condition) });
    return this.write((how) => this.documents.send(command, how));
  }

  /** @returns whether the condition held; an item that is not there is as good as deleted. */
  delete(key: Key, condition?: Expression): Promise<boolean> {
    const command = new DeleteCommand({ ...this.one(key), ...conditionInput(condition) });
    return this.write((how) => this.documents.send(command, how));
  }

  /** Writes all of the items, whose keys differ, in no particular order; what is there already is replaced. */
  async putMany(items: readonly Item[]): Promise<void> {
    const groups = inSizedGroups(items).map((group) => group.map((Item) => ({ PutRequest: { Item } })));
    await Promise.all(groups.map((group) => this.writeGroup(group)));
  }

  /** Deletes what there is of the keys, which differ. */
  async deleteMany(keys: readonly Key[]): Promise<void> {
    const requests = keys.map((key) => ({ DeleteRequest: { Key: bare(key) } }));
    await Promise.all(inGroups(requests, BATCH_WRITE_ITEMS).map((group) => this.writeGroup(group)));
  }

  private async getGroup(keys: readonly Record<string, unknown>[], consistent: boolean): Promise<Item[]> {
    const items: Item[] = [];
    let left = [...keys];
    let idle = 0;
    while (left.length > 0) {
      await this.pauseAfter(idle);
      const command = new BatchGetCommand({
        RequestItems: { [this.name]: { Keys: left, ConsistentRead: consistent } },
        ReturnConsumedCapacity: TOTAL,
      });
      const answer = await this.call((how) => this.documents.send(command, how));
      for (const used of answer.ConsumedCapacity ?? []) this.countReads(used);
      const found = answer.Responses?.[this.name] ?? [];
      for (const raw of found) items.push(toItem(raw));
      left = answer.UnprocessedKeys?.[this.name]?.Keys ?? [];
      idle = found.length > 0 ? 0 : idle + 1; // an answer cut at 16 MB is no refusal
    }
    return items;
  }

  private async writeGroup(requests: WriteRequests): Promise<void> {
    let left = requests;
    let idle = 0;
    while (left.length > 0) {
      await this.pauseAfter(idle);
      const command = new BatchWriteCommand({ RequestItems: { [this.name]: left }, ReturnConsumedCapacity: TOTAL });
      const answer = await this.call((how) => this.documents.send(command, how));
      for (const used of answer.ConsumedCapacity ?? []) this.countWrites(used);
      const unprocessed = answer.UnprocessedItems?.[this.name] ?? [];
      idle = unprocessed.length < left.length ? 1 : idle + 1;
      left = unprocessed;
    }
  }

  /** Waits the longer the more tries in a row were of no use, at random so that many callers do not return together. */
  private async pauseAfter(idle: number): Promise<void> {
    if (idle === 0) return;
    if (idle > this.connection.tries) throw busy(undefined);
    const longest = Math.min(2_000, UNPROCESSED_WAIT_MS * 2 ** idle);
    await sleep(longest * (0.5 + Math.random() / 2));
  }

  private async write(send: (how: How) => Promise<{ ConsumedCapacity?: Used | undefined }>): Promise<boolean> {
    try {
      const answer = await this.call(send);
      this.countWrites(answer.ConsumedCapacity);
      return true;
    } catch (error) {
      if (error instanceof Error && error.name === 'ConditionalCheckFailedException') return false;
      throw error;
    }
  }

  private async call<T>(send: (how: How) => Promise<T>): Promise<T> {
    return this.connection.limiter.run(async () => {
      this.signal?.throwIfAborted();
      for (const meter of this.meters) meter.calls += 1;
      try {
        return await send(this.signal === undefined ? {} : { abortSignal: this.signal });
      } catch (error) {
        this.signal?.throwIfAborted();
        throw translate(error);
      }
    });
  }

  private one(key: Key) {
    return { TableName: this.name, Key: bare(key), ReturnConsumedCapacity: TOTAL };
  }

  private countReads(used: Used | undefined): void {
    for (const meter of this.meters) meter.readUnits += used?.CapacityUnits ?? 0;
  }

  private countWrites(used: Used | undefined): void {
    for (const meter of this.meters) meter.writeUnits += used?.CapacityUnits ?? 0;
  }
}

interface How {
  readonly abortSignal?: AbortSignal;
}

interface Used {
  readonly CapacityUnits?: number | undefined;
}

type WriteRequests = NonNullable<NonNullable<BatchWriteCommand['input']['RequestItems']>[string]>;

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

function toItem(raw: Record<string, unknown>): Item {
  const { pk, sk } = raw;
  if (typeof pk !== 'string' || typeof sk !== 'string') throw new Error('the table has other keys than pk and sk');
  return { ...raw, pk, sk };
}

/** Only the key of what may be a whole item. */
const bare = ({ pk, sk }: Key): Record<string, unknown> => ({ pk, sk });

const nameOf = (key: Key): string => `${key.pk}\0${key.sk}`;
