/** A proxy in front of the table's engine, in a process of its own: sent the engine's endpoint, it answers its own. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';

/** What AWS gives: the way there and back, and how much of one partition key a second. */
const CALL_MS = 5;
const BYTES_PER_MS = 24_000;

const AnyKey = z.looseObject({ pk: z.object({ S: z.string() }) });
const Answer = z.looseObject({
  Items: z.array(AnyKey).optional(),
  Item: AnyKey.optional(),
  Responses: z.record(z.string(), z.array(AnyKey)).optional(),
});

/** When each partition key has sent what was asked of it so far. */
const freeAt = new Map<string, number>();

process.once('message', async (upstream) => {
  const engine = new URL(String(upstream));
  const server = createServer((incoming, answer) => {
    pass(incoming, answer, engine).catch((error) => answer.destroy(error));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  process.send?.(`http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`);
});
process.on('disconnect', () => process.exit());

async function pass(incoming: IncomingMessage, answer: ServerResponse, engine: URL): Promise<void> {
  const asked = await text(incoming);
  const { host: _, ...headers } = incoming.headers;
  const passed = request(engine, { method: incoming.method ?? 'POST', headers });
  passed.end(asked);
  const [answered]: IncomingMessage[] = await once(passed, 'response');
  if (answered === undefined) throw new Error('the engine does not answer');
  const body = await text(answered);
  await sleep(CALL_MS + queue(bytesByKey(body)));
  answer.writeHead(answered.statusCode ?? 500, answered.headers).end(body);
}

/** @returns how long the slowest of the keys takes until it has sent its bytes, behind those it is sending already */
function queue(bytes: ReadonlyMap<string, number>): number {
  const now = performance.now();
  let longest = 0;
  for (const [key, count] of bytes) {
    const done = Math.max(now, freeAt.get(key) ?? 0) + count / BYTES_PER_MS;
    freeAt.set(key, done);
    longest = Math.max(longest, done - now);
  }
  return longest;
}

/** Bytes of the items, near enough: what is binary is three quarters of its base64. */
function bytesByKey(body: string): Map<string, number> {
  const bytes = new Map<string, number>();
  const { Items = [], Item, Responses = {} } = Answer.parse(JSON.parse(body));
  for (const item of [...Items, ...(Item === undefined ? [] : [Item]), ...Object.values(Responses).flat()]) {
    const { S: key } = item.pk;
    bytes.set(key, (bytes.get(key) ?? 0) + JSON.stringify(item).length * 0.75);
  }
  return bytes;
}
