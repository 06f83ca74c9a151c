import { DynamoDBClient, type ReturnConsumedCapacity } from '@aws-sdk/client-dynamodb';
import {
  BatchWriteCommand,
  type BatchWriteCommandInput,
  DeleteCommand,
  DynamoDBDocumentClient,
  PutCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import type { Clock } from '../../lib/clock.ts';
import { allEnded, Limiter } from '../../lib/concurrency.ts';
import { RequestHandler } from '../../lib/sdk/request-handler.ts';
import { ATTEMPT_MS, requestLimits } from '../../lib/sdk/request-limits.ts';
import { Calls, delayRetry, type Meter } from './calls.ts';
import { type Item, sizeOf, toItem } from './item.ts';
import type { Key } from './item-keys.ts';
import { decodeBase64, Reads } from './reads.ts';
import {
  BATCH_GET_KEYS,
  BATCH_WRITE_ITEMS,
  conditionInput,
  type Expression,
  groupBySize,
  inGroups,
  type RangeQuery,
  rangeInput,
  updateInput,
} from './requests.ts';
import { storeBusy } from './store-errors.ts';
import type { ThrottlePolicy, WriteRate } from './write-rate.ts';

export type { Meter } from './calls.ts';

interface TableOptions {
  readonly tableName: string;
  readonly endpoint?: string;
  readonly region?: string;
  /**
   * Maximum concurrent calls; default 16. Each has a socket, so no call spends its time limit waiting for one. EXTRA_SOCKETS more are for calls of
   * `unlimited` tables.
   */
  readonly concurrency?: number;
  /** Time limit of one attempt until the response begins, and between two parts of the response, in milliseconds; default 3,000. */
  readonly requestMs?: number;
  /** Time limit until a connection is open, in milliseconds; default 1,000, for loaders `requestMs`: through a proxy it takes longer. */
  readonly connectMs?: number;
  /**
   * Maximum attempts of one call, the first included; default 3. A read that is sent directly first has one more (`reads.ts`). A loader's calls are limited
   * by `throttling` instead, except batch reads that make no progress, which use this too.
   */
  readonly attempts?: number;
  /** For loaders: writes slow down to what the table accepts. Absent: the short limits of requests that somebody waits for. */
  readonly throttling?: ThrottlePolicy;
}

type WriteRequest = NonNullable<BatchWriteCommandInput['RequestItems']>[string][number];

/** A batch that makes no progress is retried at most this many times × the table's `attempts`. */
const UNPROCESSED_RETRIES = 3;
const TOTAL: ReturnConsumedCapacity = 'TOTAL';

/**
 * Makes the client, so call it once per process and table. `endpoint` and `region`, if absent, and the credentials come from the SDK's default chain
 * (`AWS_ENDPOINT_URL_DYNAMODB`, `AWS_REGION`).
 */
export function openTable(options: TableOptions): Table {
  const { tableName, concurrency = 16, attempts = 3, requestMs = ATTEMPT_MS, throttling } = options;
  const limits = requestLimits(requestMs, options.connectMs ?? (throttling && requestMs));
  const client = new DynamoDBClient({
    ...(options.endpoint === undefined ? {} : { endpoint: options.endpoint }),
    ...(options.region === undefined ? {} : { region: options.region }),
    // a loader's calls are retried by `Calls`: what the SDK retries within milliseconds is rejected again
    maxAttempts: throttling === undefined ? attempts : 1,
    base64Decoder: decodeBase64,
    requestHandler: new RequestHandler(limits),
  });
  const documents = DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } });
  return new Table(
    {
      tableName,
      client: documents,
      reads: new Reads(documents),
      maxRetries: attempts * UNPROCESSED_RETRIES,
      rate: throttling?.rate,
    },
    new Calls(new Limiter(concurrency), throttling),
  );
}

interface Connection {
  readonly tableName: string;
  readonly client: DynamoDBDocumentClient;
  readonly reads: Reads;
  /** Maximum retries in a row of a batch that makes no progress. */
  readonly maxRetries: number;
  /** The rate of a loader's writes; undefined for other tables. */
  readonly rate: WriteRate | undefined;
}

/**
 * A DynamoDB table with the keys `pk` and `sk`. Its methods throw STORE_BUSY when throttling, outages or timeouts outlast the retries, the signal's
 * reason when it aborts, and the SDK's own error for an invalid request.
 */
export class Table {
  readonly clock: Clock;
  readonly #connection: Connection;
  readonly #calls: Calls;

  constructor(connection: Connection, calls: Calls) {
    this.clock = connection.reads.clock;
    this.#connection = connection;
    this.#calls = calls;
  }

  get name(): string {
    return this.#connection.tableName;
  }

  /** The rate, in write units per second, at which a loader's writes have been paced since a write was first rejected; undefined before that. */
  get throttledTo(): number | undefined {
    const { unitsPerSecond = Number.POSITIVE_INFINITY } = this.#connection.rate ?? {};
    return unitsPerSecond === Number.POSITIVE_INFINITY ? undefined : unitsPerSecond;
  }

  /** @returns the same table; its calls are also counted in `meter` */
  metered(meter: Meter): Table {
    return new Table(this.#connection, this.#calls.metered(meter));
  }

  /** @returns the same table; its calls throw the signal's reason when it aborts */
  withSignal(signal: AbortSignal): Table {
    return new Table(this.#connection, this.#calls.withSignal(signal));
  }

  /**
   * @returns the same table without limits of concurrency and write rate; a loader's calls are retried for 2 seconds only. For the few calls that others
   * depend on, such as renewing a lease.
   */
  unlimited(): Table {
    return new Table(this.#connection, this.#calls.unlimited());
  }

  async get(key: Key, options: { consistent: boolean }): Promise<Item | undefined> {
    const input = { ...this.#keyInput(key), ConsistentRead: options.consistent };
    const response = await this.#calls.read((sendOptions) => this.#connection.reads.get(input, sendOptions));
    return response.Item === undefined ? undefined : toItem(response.Item);
  }

  /** @returns the item of each key, in the order of the keys, or undefined if it does not exist. Reads 100 keys per call, concurrently. */
  async getMany(keys: readonly Key[], options: { consistent: boolean }): Promise<(Item | undefined)[]> {
    const distinct = new Map(keys.map((key) => [textOf(key), keyOf(key)]));
    const found = new Map<string, Item>();
    await Promise.all(
      inGroups([...distinct.values()], BATCH_GET_KEYS).map(async (group) => {
        for (const item of await this.#getGroup(group, options.consistent)) found.set(textOf(item), item);
      }),
    );
    return keys.map((key) => found.get(textOf(key)));
  }

  /** @returns the items of one partition in the order of their sort keys, from all pages of the response */
  async query(range: RangeQuery): Promise<Item[]> {
    const items: Item[] = [];
    let start: Record<string, unknown> | undefined;
    do {
      const input = {
        TableName: this.name,
        ...rangeInput(range, range.limit === undefined ? undefined : range.limit - items.length),
        ...(start === undefined ? {} : { ExclusiveStartKey: start }),
        ReturnConsumedCapacity: TOTAL,
      };
      const response = await this.#calls.read((options) => this.#connection.reads.query(input, options));
      for (const attributes of response.Items ?? []) items.push(toItem(attributes));
      start = response.LastEvaluatedKey;
    } while (start !== undefined && (range.limit === undefined || items.length < range.limit));
    return items;
  }

  /** @returns whether the item was written: false if the condition does not hold */
  put(item: Item, condition?: Expression): Promise<boolean> {
    const input = { TableName: this.name, Item: item, ReturnConsumedCapacity: TOTAL };
    const command = new PutCommand({ ...input, ...conditionInput(condition) });
    return this.#writeIf((sendOptions) => this.#connection.client.send(command, sendOptions));
  }

  /** @returns whether the item was written: false if the condition does not hold */
  update(key: Key, change: Expression, condition?: Expression): Promise<boolean> {
    const command = new UpdateCommand({ ...this.#keyInput(key), ...updateInput(change, condition) });
    return this.#writeIf((sendOptions) => this.#connection.client.send(command, sendOptions));
  }

  /** Creates the item if it does not exist. @returns the item after the change */
  async updateAndGet(key: Key, change: Expression): Promise<Item> {
    const input = { ...this.#keyInput(key), ...updateInput(change, undefined), ReturnValues: 'ALL_NEW' } as const;
    const command = new UpdateCommand(input);
    const { Attributes = {} } = await this.#calls.write((options) => this.#connection.client.send(command, options));
    return toItem(Attributes);
  }

  /** @returns whether the condition holds; deleting an item that does not exist succeeds */
  delete(key: Key, condition?: Expression): Promise<boolean> {
    const command = new DeleteCommand({ ...this.#keyInput(key), ...conditionInput(condition) });
    return this.#writeIf((sendOptions) => this.#connection.client.send(command, sendOptions));
  }

  /** Writes the items, whose keys must differ, in any order, and replaces existing ones. If it rejects, nothing is being written any more. */
  async putMany(items: readonly Item[]): Promise<void> {
    const groups = groupBySize(items);
    await allEnded(
      groups.map((group) =>
        this.#writeGroup(
          group.map((item) => ({ PutRequest: { Item: item } })),
          group.reduce((sum, item) => sum + writeUnitsOf(item), 0),
        ),
      ),
    );
  }

  /** Deletes the items of the keys, which must differ, where they exist. */
  async deleteMany(keys: readonly Key[]): Promise<void> {
    const requests = keys.map((key) => ({ DeleteRequest: { Key: keyOf(key) } }));
    await Promise.all(inGroups(requests, BATCH_WRITE_ITEMS).map((group) => this.#writeGroup(group, group.length)));
  }

  async #getGroup(keys: readonly Record<string, unknown>[], consistent: boolean): Promise<Item[]> {
    const items: Item[] = [];
    let left = [...keys];
    let retries = 0;
    while (left.length > 0) {
      await this.#delayRetry(retries);
      const RequestItems = { [this.name]: { Keys: left, ConsistentRead: consistent } };
      const input = { RequestItems, ReturnConsumedCapacity: TOTAL };
      const response = await this.#calls.read((options) => this.#connection.reads.batchGet(input, options));
      const found = response.Responses?.[this.name] ?? [];
      for (const attributes of found) items.push(toItem(attributes));
      left = response.UnprocessedKeys?.[this.name]?.Keys ?? [];
      retries = found.length > 0 ? 0 : retries + 1; // a response with items needs no delay: it may have reached its limit of 16 MB
    }
    return items;
  }

  /** @param units estimate of what all of the requests consume */
  async #writeGroup(requests: readonly WriteRequest[], units: number): Promise<void> {
    let left = [...requests];
    let retries = 0;
    while (left.length > 0) {
      await this.#delayRetry(retries);
      const command = new BatchWriteCommand({ RequestItems: { [this.name]: left }, ReturnConsumedCapacity: TOTAL });
      const estimate = (units * left.length) / requests.length;
      const response = await this.#calls.write(
        (sendOptions) => this.#connection.client.send(command, sendOptions),
        estimate,
      );
      const unprocessed = response.UnprocessedItems?.[this.name] ?? [];
      const isPaced = unprocessed.length > 0 && this.#calls.reject();
      retries = isPaced ? 0 : unprocessed.length < left.length ? 1 : retries + 1; // progress restarts the count
      left = unprocessed;
    }
  }

  async #delayRetry(retries: number): Promise<void> {
    if (retries > this.#connection.maxRetries) throw storeBusy();
    if (retries > 0) await delayRetry(retries);
  }

  async #writeIf(send: Parameters<Calls['write']>[0]): Promise<boolean> {
    try {
      await this.#calls.write(send);
      return true;
    } catch (error) {
      if (error instanceof Error && error.name === 'ConditionalCheckFailedException') return false;
      throw error;
    }
  }

  #keyInput(key: Key) {
    return { TableName: this.name, Key: keyOf(key), ReturnConsumedCapacity: TOTAL };
  }
}

/** One write unit per KiB or part of one. */
function writeUnitsOf(item: Item): number {
  return Math.ceil(sizeOf(item) / 1024);
}

/** @returns the key without the other attributes, if a whole item is passed */
const keyOf = ({ pk, sk }: Key) => ({ pk, sk });

const textOf = (key: Key): string => `${key.pk}\0${key.sk}`;
