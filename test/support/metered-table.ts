import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { forward } from './forward.ts';
import { type LoopbackServer, startServer } from './start-server.ts';

/** What the table and each of its partition keys accept; everything else is rejected. */
export interface Capacity {
  /** Write units per second of the whole table; absent = unlimited. */
  readonly table?: number;
  /** Write units per second of one partition key; absent = unlimited. */
  readonly partition?: number;
  /** Write units in all, after which every write is rejected; absent = unlimited. */
  readonly total?: number;
}

/** A DynamoDB that throttles writes as AWS does, and counts them. */
export interface MeteredTable extends LoopbackServer {
  readonly units: { accepted: number; rejected: number };
  /** How often a whole request was rejected, and how often a part of one. */
  readonly rejections: { whole: number; partial: number };
}

/** One write inside a request. */
interface Write {
  readonly request: unknown;
  readonly partition: string;
  readonly units: number;
}

const UNIT_BYTES = 1024;
/** The time for which unused capacity is kept; AWS keeps up to 300 s of it, which would hide a short test's throttling. */
const BURST_SECONDS = 1;

const THROTTLED = JSON.stringify({
  __type: 'com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException',
  message: 'The level of configured provisioned throughput for the table was exceeded.',
});

/** Capacity that refills with time, from the first rejection on: a writer on a busy machine is then rejected, too. */
class Bucket {
  readonly #perSecond: number;
  #left: number;
  #refilledAt: number | undefined;

  constructor(perSecond: number) {
    this.#perSecond = perSecond;
    this.#left = perSecond * BURST_SECONDS;
  }

  has(units: number): boolean {
    if (this.#perSecond === Number.POSITIVE_INFINITY) return true; // infinity × 0 ms would be NaN
    const burst = this.#perSecond * BURST_SECONDS;
    if (this.#refilledAt !== undefined) this.#refill(this.#refilledAt, burst);
    const hasUnits = this.#perSecond > 0 && this.#left >= Math.min(units, burst);
    if (!hasUnits) this.#refilledAt ??= performance.now();
    return hasUnits;
  }

  #refill(since: number, burst: number): void {
    const now = performance.now();
    this.#left = Math.min(this.#left + ((now - since) / 1_000) * this.#perSecond, burst);
    this.#refilledAt = now;
  }

  take(units: number): void {
    this.#left -= units;
  }
}

/**
 * Stands in front of a DynamoDB. A `BatchWriteItem` some of whose writes exceed the capacity returns these as unprocessed; one all of whose
 * writes do, and any other write, is rejected with ProvisionedThroughputExceededException. Reads pass.
 */
export async function meterTable(endpoint: string, capacity: Capacity): Promise<MeteredTable> {
  const table = new Bucket(capacity.table ?? Number.POSITIVE_INFINITY);
  const partitions = new Map<string, Bucket>();
  const units = { accepted: 0, rejected: 0 };
  const rejections = { whole: 0, partial: 0 };
  const server = await startServer((request, response) => void pass(request, response).catch(() => response.destroy()));
  return { ...server, units, rejections };

  async function pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const action = String(request.headers['x-amz-target']).replace('DynamoDB_20120810.', '');
    const body = await text(request);
    if (action === 'BatchWriteItem') return passBatch(JSON.parse(body), request, response);
    const write = singleWrite(action, JSON.parse(body));
    if (write !== undefined && !accept(write)) {
      rejections.whole += 1;
      return reply(response, 400, THROTTLED);
    }
    const { status, text: passed } = await send(request, body);
    reply(response, status, passed);
  }

  async function passBatch(input: object, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [[name, requests] = ['', []]] = Object.entries(Object(input).RequestItems ?? {});
    const writes = (Array.isArray(requests) ? requests : []).map(batchedWrite);
    const accepted = writes.filter(accept);
    const left = writes.filter((write) => !accepted.includes(write));
    if (accepted.length === 0) {
      rejections.whole += 1;
      return reply(response, 400, THROTTLED);
    }
    const sent = { ...input, RequestItems: { [name]: accepted.map((write) => write.request) } };
    const passed = await send(request, JSON.stringify(sent));
    if (left.length === 0 || passed.status !== 200) return reply(response, passed.status, passed.text);
    rejections.partial += 1;
    const result = JSON.parse(passed.text);
    const unprocessed = [...(result.UnprocessedItems?.[name] ?? []), ...left.map((write) => write.request)];
    reply(response, 200, JSON.stringify({ ...result, UnprocessedItems: { [name]: unprocessed } }));
  }

  function accept({ partition, units: needed }: Write): boolean {
    const own = partitions.get(partition) ?? new Bucket(capacity.partition ?? Number.POSITIVE_INFINITY);
    partitions.set(partition, own);
    if (units.accepted >= (capacity.total ?? Number.POSITIVE_INFINITY) || !table.has(needed) || !own.has(needed)) {
      units.rejected += needed;
      return false;
    }
    table.take(needed);
    own.take(needed);
    units.accepted += needed;
    return true;
  }

  async function send(request: IncomingMessage, body: string): Promise<{ status: number; text: string }> {
    const passed = await forward(request, endpoint, body);
    return { status: passed.status, text: await passed.text() };
  }
}

function reply(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, { 'Content-Type': 'application/x-amz-json-1.0' }).end(body);
}

function batchedWrite(request: unknown): Write {
  const { PutRequest, DeleteRequest } = Object(request);
  return describeWrite(request, PutRequest?.Item ?? DeleteRequest?.Key);
}

/** @returns the one write of a call, undefined for reads */
function singleWrite(action: string, input: object): Write | undefined {
  const { Item, Key } = Object(input);
  if (action === 'PutItem') return describeWrite(input, Item);
  return action === 'UpdateItem' || action === 'DeleteItem' ? describeWrite(input, Key) : undefined;
}

/** Sizes are near enough: what is binary is three quarters of its base64, and a deleted or updated item counts as one unit. */
function describeWrite(request: unknown, item: unknown): Write {
  const bytes = JSON.stringify(item).length * 0.75;
  return { request, partition: String(Object(item).pk?.S), units: Math.max(1, Math.ceil(bytes / UNIT_BYTES)) };
}
