import { createHash, createHmac } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { openTable, type Table } from '../../../shared/store/table/table.ts';
import { startServer } from '../../support/start-server.ts';

const SECRET = 'the secret key';
const KEY = { pk: 'a', sk: 'ü' };
const ITEM = {
  pk: { S: 'a' },
  sk: { S: 'ü' },
  n: { N: '-1.5' },
  yes: { BOOL: true },
  none: { NULL: true },
  bytes: { B: 'AQI=' },
  list: { L: [{ N: '7' }, { M: { deep: { B: 'AA==' } } }] },
};
const EXPECTED = {
  ...KEY,
  n: -1.5,
  yes: true,
  none: null,
  bytes: Uint8Array.of(1, 2),
  list: [7, { deep: Uint8Array.of(0) }],
};

/** The table's time limits: for a response and between its parts, and for a connection. */
const [REQUEST_MS, CONNECT_MS] = [300, 1_000];

interface Received {
  readonly request: IncomingMessage;
  readonly body: string;
}

describe('reads', () => {
  let received: Received[];
  /** How the server fails the next request; otherwise it has the item. */
  let fail: ((response: ServerResponse) => void) | undefined;
  let isRejected: (received: Received) => boolean;
  let aheadMs = 0;
  /** The client's socket, whose time limit ends when it emits `timeout`. */
  let client: Socket | undefined;
  let stop = async () => {};

  beforeEach(() => {
    received = [];
    fail = undefined;
    isRejected = () => false;
    aheadMs = 0;
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKIDTEST');
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', SECRET);
    vi.stubEnv('AWS_SESSION_TOKEN', 'the session token');
    client = undefined;
    stopTimeLimits();
  });
  afterEach(async () => {
    await stop();
    vi.unstubAllEnvs();
    vi.restoreAllMocks();
  });

  /** Time limits end only where a test ends them: on a busy machine, a read would exceed them, and be sent once more. */
  function stopTimeLimits(): void {
    const { setTimeout } = globalThis;
    const startUnlessLimit = (run: () => void, ms?: number) =>
      setTimeout(ms === REQUEST_MS || ms === CONNECT_MS ? () => {} : run, ms);
    vi.spyOn(globalThis, 'setTimeout').mockImplementation(startUnlessLimit as typeof setTimeout);
    vi.spyOn(Socket.prototype, 'setTimeout').mockImplementation(function (this: Socket, ms, onTimeout) {
      if (ms === REQUEST_MS) client = this;
      return onTimeout === undefined ? this : this.once('timeout', onTimeout);
    });
  }
  const endTimeLimit = () => expect(client?.emit('timeout')).toBe(true);

  async function serve(): Promise<Table> {
    const server = await startServer(async (request, response) => {
      const arrived = { request, body: await text(request) };
      received.push(arrived);
      response.setHeader('content-type', 'application/x-amz-json-1.0');
      response.setHeader('date', new Date(Date.now() + aheadMs).toUTCString());
      const failing = fail;
      fail = undefined;
      if (failing !== undefined) failing(response);
      else if (isRejected(arrived))
        response.writeHead(400).end(JSON.stringify({ __type: 'x#InvalidSignatureException' }));
      else response.end(JSON.stringify(responseTo(arrived)));
    });
    stop = async () => server[Symbol.asyncDispose]();
    return openTable({ tableName: 't', endpoint: server.endpoint, region: 'eu-west-1', requestMs: REQUEST_MS });
  }

  const responseTo = ({ request }: Received): object => {
    const operation = String(request.headers['x-amz-target']).split('.')[1];
    if (operation === 'GetItem') return { Item: ITEM };
    return operation === 'Query' ? { Items: [ITEM, ITEM] } : { Responses: { t: [ITEM] } };
  };
  const get = (table: Table) => table.get(KEY, { consistent: true });
  /** For each request, whether the SDK sent it: only the SDK sends a user agent. */
  const bySdk = () => received.map(({ request }) => request.headers['user-agent'] !== undefined);

  test('are sent directly after the first one, and return the same', async () => {
    const table = await serve();
    expect(await get(table)).toEqual(EXPECTED);
    expect(await get(table)).toEqual(EXPECTED);
    expect(await table.query({ pk: 'a', from: '1', consistent: false, limit: 2 })).toEqual([EXPECTED, EXPECTED]);
    expect(await table.getMany([KEY], { consistent: false })).toEqual([EXPECTED]);
    expect(bySdk()).toEqual([true, false, false, false]);
    const [sdk, direct] = received.map(({ body }) => JSON.parse(body));
    expect(direct).toEqual(sdk);
  });

  test('are signed as Signature Version 4 requires, with the session token', async () => {
    isRejected = ({ request, body }) => request.headers.authorization !== authorizationOf(request, body);
    const table = await serve();
    await get(table);
    await get(table);
    await table.query({ pk: 'ü/ß', consistent: false });
    expect(bySdk()).toEqual([true, false, false]);
    for (const { request } of received) {
      expect(request.headers.authorization).toMatch(/x-amz-security-token/);
      expect(request.headers['x-amz-security-token']).toBe('the session token');
    }
  });

  test.each<[string, (response: ServerResponse) => void]>([
    ['throttles them', (response) => response.writeHead(400).end('{"__type":"x#ThrottlingException"}')],
    ['fails', (response) => response.writeHead(500).end('{"__type":"x#InternalServerError"}')],
    ['closes the connection', (response) => response.destroy()],
    [
      'sends only part of the response',
      (response) => response.writeHead(200, { 'content-length': '99' }).write('{"Item":', () => response.destroy()),
    ],
    ['sends something other than JSON', (response) => response.end('<html>')],
    ['does not respond', endTimeLimit],
    [
      'stops in the middle of the response',
      (response) => {
        client?.once('data', () => setImmediate(endTimeLimit));
        response.writeHead(200, { 'content-length': '99' }).write('{"Item":');
      },
    ],
  ])('are sent again by the SDK if DynamoDB %s', async (_what, failing) => {
    const table = await serve();
    await get(table);
    fail = failing;
    expect(await get(table)).toEqual(EXPECTED);
    expect(await get(table)).toEqual(EXPECTED);
    expect(bySdk()).toEqual([true, false, true, false]);
  });

  test('are dated like the SDK’s if the clock of the machine is wrong', async () => {
    aheadMs = 3_600_000;
    isRejected = ({ request }) => {
      const signedAt = String(request.headers['x-amz-date']).replace(/^(....)(..)(..T..)(..)/, '$1-$2-$3:$4:');
      return Math.abs(Date.parse(signedAt) - Date.now() - aheadMs) > 300_000;
    };
    const table = await serve();
    await get(table);
    await get(table);
    expect(bySdk()).toEqual([true, true, false]);
    expect(Math.abs(table.clock() - Date.now() - aheadMs)).toBeLessThan(60_000);
  });
});

/** The header Authorization that the request must have: https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html */
function authorizationOf({ headers, method, url }: IncomingMessage, body: string): string {
  const hash = (data: string) => createHash('sha256').update(data).digest('hex');
  const hmac = (key: string | Buffer, data: string) => createHmac('sha256', key).update(data).digest();
  const names = /SignedHeaders=([^,]*)/.exec(headers.authorization ?? '')?.[1] ?? '';
  const canonical = [
    ...[method, url, ''],
    ...names.split(';').map((name) => `${name}:${headers[name]}`),
    ...['', names, hash(body)],
  ].join('\n');
  const date = String(headers['x-amz-date']);
  const scope = `${date.slice(0, 8)}/eu-west-1/dynamodb/aws4_request`;
  const key = scope.split('/').reduce<string | Buffer>(hmac, `AWS4${SECRET}`);
  const signature = hmac(key, `AWS4-HMAC-SHA256\n${date}\n${scope}\n${hash(canonical)}`).toString('hex');
  return `AWS4-HMAC-SHA256 Credential=AKIDTEST/${scope}, SignedHeaders=${names}, Signature=${signature}`;
}
