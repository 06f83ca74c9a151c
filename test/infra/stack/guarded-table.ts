import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { isAllowed, type Policy } from './policy.ts';

/** A DynamoDB that lets through only what a policy allows, as AWS does and no emulator of it. */
export interface GuardedTable extends AsyncDisposable {
  readonly endpoint: string;
  /** Whose policy holds from now on. */
  policy: Policy;
  /** What was allowed, as `dynamodb:Query FACTS`: the first part of the key alone. */
  readonly allowed: Set<string>;
  /** What was refused, with its keys. */
  readonly refused: string[];
}

/** @param endpoint of the DynamoDB behind it */
export async function guardTable(endpoint: string, policy: Policy): Promise<GuardedTable> {
  const allowed = new Set<string>();
  const refused: string[] = [];
  const server = createServer((request, response) => void pass(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('a TCP server has no port');
  const self: GuardedTable = {
    endpoint: `http://127.0.0.1:${address.port}`,
    policy,
    allowed,
    refused,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return self;

  async function pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    const action = String(request.headers['x-amz-target']).replace('DynamoDB_20120810.', 'dynamodb:');
    const partitions = partitionsOf(JSON.parse(body.toString()));
    if (!isAllowed(self.policy, action, partitions)) {
      refused.push(`${action} ${partitions.join(' ')}`);
      response.writeHead(400, { 'Content-Type': 'application/x-amz-json-1.0' });
      response.end('{"__type":"com.amazonaws.dynamodb.v20120810#AccessDeniedException","message":"not allowed"}');
      return;
    }
    for (const partition of partitions) allowed.add(`${action} ${partition.replace(/#.*/s, '')}`);
    const { host: _, connection: __, 'content-length': ___, ...headers } = request.headers;
    const sent = Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]);
    const answer = await fetch(endpoint, { method: 'POST', headers: sent, body });
    response.writeHead(answer.status, { 'Content-Type': answer.headers.get('content-type') ?? '' });
    response.end(Buffer.from(await answer.arrayBuffer()));
  }
}

/** @returns the partition keys that a call names, whichever call it is */
function partitionsOf(input: Record<string, unknown>): string[] {
  const { Key, Item, RequestItems, KeyConditionExpression, ExpressionAttributeNames, ExpressionAttributeValues } =
    input;
  const single = [Key, Item].flatMap((it) => (it === undefined ? [] : [textOf(Object(it).pk)]));
  const batch = Object.values(Object(RequestItems)).flatMap((it) =>
    Array.isArray(it)
      ? it.map(({ PutRequest, DeleteRequest }) => textOf(Object(PutRequest?.Item ?? DeleteRequest?.Key).pk))
      : Object(it).Keys.map((key: { pk: unknown }) => textOf(key.pk)),
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
