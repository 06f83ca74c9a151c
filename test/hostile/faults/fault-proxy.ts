import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../../oracle/random/random.ts';
import { forward } from '../../support/forward.ts';
import { startServer } from '../../support/start-server.ts';
import {
  batchMembers,
  isEventualRead,
  parseRequest,
  StaleReads,
  type TableRequest,
  type TypedItem,
  writtenKeys,
} from './stale-reads.ts';

/**
 * `throttle`, `error`: DynamoDB rejects the call. `delay`: it responds late. `cut`: the connection ends before the call reaches the table.
 * `lose`: it ends after, so that what was written is unknown. `unprocessed`: only a part of a batch is executed. `duplicate`: the call reaches the table twice.
 * `silence`: there is no response, and the connection stays open. `stall`: the same after half of the response.
 */
export const FAULTS = [
  'throttle',
  'error',
  'delay',
  'cut',
  'lose',
  'unprocessed',
  'duplicate',
  'silence',
  'stall',
] as const;
export type Fault = (typeof FAULTS)[number];

export interface FaultPlan {
  /** The faults from which one is chosen at random; may be changed at any time. */
  faults: readonly Fault[];
  /** The probability that a call has a fault, 0 to 1. */
  chance: number;
}

/** A DynamoDB on loopback that fails as the network and AWS may. */
export interface FaultProxy extends AsyncDisposable {
  readonly endpoint: string;
  readonly plan: FaultPlan;
  /** How often each fault happened so far; `stale`: how many items were returned as they were before a write. */
  readonly happened: Readonly<Record<Fault | 'stale', number>>;
}

const MAX_DELAY_MS = 400;
const THROTTLED = {
  __type: 'com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException',
  message: 'slow down',
};
const FAILED = { __type: 'com.amazonaws.dynamodb.v20120810#InternalServerError', message: 'try again' };

/** @param staleMs how long after a write eventually consistent reads return the item as it was before; 0: never */
export async function openFaultProxy(endpoint: string, random: Random, staleMs = 0): Promise<FaultProxy> {
  const plan: FaultPlan = { faults: [], chance: 0 };
  const counts = Object.fromEntries(FAULTS.map((fault) => [fault, 0])) as Record<Fault, number>; // its keys are FAULTS
  const stale = staleMs === 0 ? undefined : new StaleReads(staleMs);
  const server = await startServer((request, response) => void pass(request, response).catch(() => response.destroy()));
  return {
    ...server,
    plan,
    get happened() {
      return { ...counts, stale: stale?.replaced ?? 0 };
    },
  };

  async function pass(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(incoming);
    const request = parseRequest(incoming.headers['x-amz-target']?.toString(), body);
    const fault = plan.faults.length > 0 && random.chance(plan.chance) ? random.pick(plan.faults) : undefined;
    if (fault !== undefined && (fault !== 'unprocessed' || batchMembers(request.input).length > 1)) counts[fault] += 1;
    switch (fault) {
      case 'throttle':
        return reply(response, 400, THROTTLED);
      case 'error':
        return reply(response, 500, FAILED);
      case 'silence':
        return;
      case 'stall': {
        const { status, body: whole } = await passOn(incoming, request, body);
        const content = JSON.stringify(whole);
        response.writeHead(status, {
          'content-type': 'application/x-amz-json-1.0',
          'content-length': content.length + 1,
        });
        return void response.write(content.slice(0, content.length / 2));
      }
      case 'cut':
        return void response.destroy();
      case 'lose':
        await passOn(incoming, request, body);
        return void response.destroy();
      case 'duplicate': {
        const [first] = [await passOn(incoming, request, body), await passOn(incoming, request, body)];
        return reply(response, first.status, first.body);
      }
      case 'unprocessed':
        return passPart(incoming, request, response);
      case 'delay':
        await sleep(random.int(MAX_DELAY_MS));
    }
    const passed = await passOn(incoming, request, body);
    reply(response, passed.status, passed.body);
  }

  /** Carries out the first half of a batch, and returns the rest as unprocessed; passes on a request that has no two halves. */
  async function passPart(incoming: IncomingMessage, request: TableRequest, response: ServerResponse): Promise<void> {
    const { input } = request;
    const members = batchMembers(input);
    const [[table, batch] = ['', {}]] = Object.entries(Object(input.RequestItems));
    const half = Math.floor(members.length / 2);
    const of = (part: readonly unknown[]) => ({
      [table]: Array.isArray(batch) ? part : { ...Object(batch), Keys: part },
    });
    const sent = half === 0 ? input : { ...input, RequestItems: of(members.slice(0, half)) };
    const passed = await passOn(incoming, { ...request, input: sent }, JSON.stringify(sent));
    if (half === 0 || passed.status !== 200) return reply(response, passed.status, passed.body);
    const rest = Array.isArray(batch) ? 'UnprocessedItems' : 'UnprocessedKeys';
    reply(response, 200, { ...passed.body, [rest]: of(members.slice(half)) });
  }

  async function passOn(
    incoming: IncomingMessage,
    request: TableRequest,
    body: string,
  ): Promise<{ status: number; body: Readonly<Record<string, unknown>> }> {
    if (stale !== undefined) {
      for (const key of writtenKeys(request)) stale.remember(key, await readItem(incoming, request, key));
    }
    const passed = await send(incoming, request.action, body);
    if (stale === undefined || passed.status !== 200 || !isEventualRead(request)) return passed;
    return { status: 200, body: Object(stale.respond(request, passed.body)) };
  }

  async function readItem(
    incoming: IncomingMessage,
    { input }: TableRequest,
    key: TypedItem,
  ): Promise<TypedItem | undefined> {
    const TableName = input.TableName ?? Object.keys(Object(input.RequestItems))[0];
    const { body } = await send(incoming, 'GetItem', JSON.stringify({ TableName, Key: key, ConsistentRead: true }));
    return body.Item === undefined ? undefined : Object(body.Item);
  }

  async function send(
    incoming: IncomingMessage,
    action: string,
    body: string,
  ): Promise<{ status: number; body: Readonly<Record<string, unknown>> }> {
    const passed = await forward(incoming, endpoint, body, { 'x-amz-target': `DynamoDB_20120810.${action}` });
    return { status: passed.status, body: Object(await passed.json()) };
  }
}

function reply(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'Content-Type': 'application/x-amz-json-1.0' }).end(JSON.stringify(body));
}
