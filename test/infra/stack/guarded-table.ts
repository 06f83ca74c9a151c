import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { forward, sendOn } from '../../support/forward.ts';
import { type LoopbackServer, startServer } from '../../support/start-server.ts';
import { isAllowed, type Policy } from './policy.ts';

/** A proxy in front of an emulated DynamoDB that enforces a policy, as AWS does and emulators do not. */
export interface GuardedTable extends LoopbackServer {
  /** The policy that applies to the next calls. */
  policy: Policy;
  /** The allowed calls, with the first part of each partition key: `dynamodb:Query FACTS`. */
  readonly allowed: Set<string>;
  /** The denied calls, with their partition keys. */
  readonly denied: string[];
}

/** @param endpoint of the emulated DynamoDB */
export async function guardTable(endpoint: string, policy: Policy): Promise<GuardedTable> {
  const allowed = new Set<string>();
  const denied: string[] = [];
  const server = await startServer((request, response) => void guard(request, response));
  const self: GuardedTable = { ...server, policy, allowed, denied };
  return self;

  async function guard(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(request);
    const action = String(request.headers['x-amz-target']).replace('DynamoDB_20120810.', 'dynamodb:');
    const partitions = partitionsOf(JSON.parse(body.toString()));
    if (!isAllowed(self.policy, action, partitions)) {
      denied.push(`${action} ${partitions.join(' ')}`);
      response.writeHead(400, { 'Content-Type': 'application/x-amz-json-1.0' });
      response.end('{"__type":"com.amazonaws.dynamodb.v20120810#AccessDeniedException","message":"not allowed"}');
      return;
    }
    for (const partition of partitions) allowed.add(`${action} ${partition.replace(/#.*/s, '')}`);
    await sendOn(await forward(request, endpoint, body), response);
  }
}

/** @returns the partition keys in the input of any call */
function partitionsOf(input: Record<string, unknown>): string[] {
  const { Key, Item, RequestItems, KeyConditionExpression, ExpressionAttributeNames, ExpressionAttributeValues } =
    input;
  const single = [Key, Item].flatMap((item) => (item === undefined ? [] : [textOf(Object(item).pk)]));
  const batch = Object.values(Object(RequestItems)).flatMap((requests) =>
    Array.isArray(requests)
      ? requests.map(({ PutRequest, DeleteRequest }) => textOf(Object(PutRequest?.Item ?? DeleteRequest?.Key).pk))
      : Object(requests).Keys.map((key: { pk: unknown }) => textOf(key.pk)),
  );
  const ranges = [...String(KeyConditionExpression ?? '').matchAll(/([#\w]+) = (:\w+)/g)].flatMap(
    ([, name = '', value = '']) =>
      (Object(ExpressionAttributeNames)[name] ?? name) === 'pk'
        ? [textOf(Object(ExpressionAttributeValues)[value])]
        : [],
  );
  return [...single, ...batch, ...ranges];
}

function textOf(value: unknown): string {
  return String(Object(value).S);
}
