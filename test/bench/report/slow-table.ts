/** A proxy that delays the responses of a table engine as AWS does; it receives the engine's endpoint as a message and sends back its own. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';

/** Round-trip time, and the throughput of one partition key. */
const ROUND_TRIP_MS = 5;
const BYTES_PER_MS = 24_000;

const Item = z.looseObject({ pk: z.object({ S: z.string() }) });
const ResponseBody = z.looseObject({
  Items: z.array(Item).optional(),
  Item: Item.optional(),
  Responses: z.record(z.string(), z.array(Item)).optional(),
});

/** When each partition key has sent all bytes that were requested so far. */
const freeAt = new Map<string, number>();

process.once('message', async (upstream) => {
  const engine = new URL(String(upstream));
  const server = createServer((incoming, outgoing) => {
    forward(incoming, outgoing, engine).catch((error) => outgoing.destroy(error));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  process.send?.(`http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`);
});
process.on('disconnect', () => process.exit());

async function forward(incoming: IncomingMessage, outgoing: ServerResponse, engine: URL): Promise<void> {
  const requestBody = await text(incoming);
  const { host: _, ...headers } = incoming.headers;
  const forwarded = request(engine, { method: incoming.method ?? 'POST', headers });
  forwarded.end(requestBody);
  const [response]: IncomingMessage[] = await once(forwarded, 'response');
  if (response === undefined) throw new Error('the engine sent no response');
  const body = await text(response);
  await sleep(ROUND_TRIP_MS + reserve(bytesByKey(body)));
  outgoing.writeHead(response.statusCode ?? 500, response.headers).end(body);
}

/** @returns the milliseconds until all keys have sent these bytes, after the bytes that they are already sending */
function reserve(bytes: ReadonlyMap<string, number>): number {
  const now = performance.now();
  let longest = 0;
  for (const [key, count] of bytes) {
    const done = Math.max(now, freeAt.get(key) ?? 0) + count / BYTES_PER_MS;
    freeAt.set(key, done);
    longest = Math.max(longest, done - now);
  }
  return longest;
}

/** @returns the approximate size of the items per partition key; binary values have three quarters of the size of their base64 text */
function bytesByKey(body: string): Map<string, number> {
  const bytes = new Map<string, number>();
  const { Items = [], Item: single, Responses = {} } = ResponseBody.parse(JSON.parse(body));
  for (const item of [...Items, ...(single === undefined ? [] : [single]), ...Object.values(Responses).flat()]) {
    const { S: key } = item.pk;
    bytes.set(key, (bytes.get(key) ?? 0) + JSON.stringify(item).length * 0.75);
  }
  return bytes;
}
