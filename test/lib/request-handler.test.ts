import { once } from 'node:events';
import type { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { HttpRequest } from '@smithy/core/protocols';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { RequestHandler } from '../../shared/lib/sdk/request-handler.ts';
import { PRODUCT_FILES, readSource } from '../rules/source-files.ts';
import { type LoopbackServer, startServer } from '../support/start-server.ts';
import { FREEZES, stopClock } from '../support/test-clock.ts';

/** The server's connections in the order of their first request. */
let connections: Socket[];
/** How many requests wait for each other, so that each has a connection of its own. */
let concurrent: number;
let now: number;
let handler: RequestHandler;
let server: LoopbackServer;

beforeEach(async () => {
  now = 1e9;
  connections = [];
  let waiting: (() => void)[] = [];
  server = await startServer(({ socket, url }, response) => {
    if (url === '/fail') return void socket.destroy();
    if (!connections.includes(socket)) connections.push(socket);
    waiting.push(() => response.end(String(connections.indexOf(socket))));
    if (waiting.length < concurrent) return;
    for (const respond of waiting) respond();
    waiting = [];
  });
  handler = new RequestHandler({}, () => now);
});
afterEach(async () => {
  handler.destroy();
  await server[Symbol.asyncDispose]();
});

async function send(path = '/'): Promise<string> {
  const { hostname, port } = new URL(server.endpoint);
  const request = new HttpRequest({ protocol: 'http:', hostname, port: Number(port), path });
  const { response } = await handler.handle(request);
  return text(response.body);
}

/** @returns the sorted numbers of the connections that requests at the same time have used */
async function sendTogether(count: number): Promise<string[]> {
  concurrent = count;
  return (await Promise.all(Array.from({ length: count }, () => send()))).sort();
}

const passSeconds = (seconds: number) => {
  now += seconds * 1_000;
};

test('connections are used again, but not after ten seconds without a request', async () => {
  expect(await sendTogether(2)).toEqual(['0', '1']);
  passSeconds(10);
  expect(await sendTogether(2)).toEqual(['0', '1']);
  passSeconds(11);
  expect(await sendTogether(2)).toEqual(['2', '3']);
});

test('connections that were idle while others were used are closed, too', async () => {
  expect(await sendTogether(3)).toEqual(['0', '1', '2']);
  passSeconds(6);
  const [used = ''] = await sendTogether(1);
  passSeconds(6);
  expect(await sendTogether(3)).toEqual([used, '3', '4']);
});

test('after a request that has failed, no idle connection is used again', async () => {
  expect(await sendTogether(3)).toEqual(['0', '1', '2']);
  await expect(send('/fail')).rejects.toThrow();
  expect(await sendTogether(3)).toEqual(['3', '4', '5']);
});

test.each(FREEZES)('connections of an instance %s are closed', async (_, clocksAfter) => {
  const clock = stopClock();
  using _clock = { [Symbol.dispose]: clock.release };
  handler = new RequestHandler({});
  expect(await sendTogether(1)).toEqual(['0']);
  clock.advance(...clocksAfter(11_000));
  expect(await sendTogether(1)).toEqual(['1']);
});

test('closed connections are closed for the server as well', async () => {
  await sendTogether(1);
  passSeconds(11);
  const closed = connections.map((socket) => once(socket, 'close'));
  await sendTogether(1);
  expect(await Promise.all(closed)).toHaveLength(1);
});

test('every client of the SDK that functions keep has it', () => {
  const lines = PRODUCT_FILES.filter((file) => /^(functions|shared)/.test(file)).flatMap((file) => {
    const source = readSource(file);
    if (!/new (DynamoDB|KMS|SQS|S3)Client\(/.test(source)) return [];
    const isKept = !source.includes('client.destroy()');
    return [`${file}: ${isKept ? source.includes('requestHandler: new RequestHandler(') : 'not kept'}`];
  });
  expect(lines).toEqual([
    'shared/identity/kms-user-id-key.ts: not kept',
    'shared/identity/signing-key.ts: true',
    'shared/ingest/bucket.ts: true',
    'shared/ingest/folder-queue.ts: true',
    'shared/store/table/table.ts: true',
  ]);
});
