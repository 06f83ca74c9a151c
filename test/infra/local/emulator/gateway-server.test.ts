import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Gateway } from '../../../../infra/local/emulator/gateway/gateway.ts';
import { createGatewayServer } from '../../../../infra/local/emulator/gateway/gateway-server.ts';
import { problemKind } from '../../../../shared/contract/problem.ts';
import { inject, listen } from '../../../support/gateway-server.ts';
import { type EchoStage, openEchoStage } from './echo-stage.ts';

let stage: EchoStage;
let port: number;
beforeAll(async () => {
  stage = openEchoStage();
  port = await stage.listen();
});
afterAll(() => stage.close());

interface RawResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** Sends bytes. @returns the response to the first request in them */
async function send(bytes: string, to: number): Promise<RawResponse> {
  const socket = connect(to, '127.0.0.1').setEncoding('utf8');
  socket.write(bytes, 'latin1');
  let received = '';
  for await (const text of socket) received += text;
  const [head = '', text = ''] = received.split('\r\n\r\n');
  const [first = '', ...lines] = head.split('\r\n');
  const headers = new Headers(
    lines.map((line): [string, string] => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1)]),
  );
  return { status: Number(first.split(' ')[1]), headers, text };
}

/** The first headers of a raw request; others and an empty line follow. */
const HEADERS = 'Host: localhost\r\nConnection: close\r\n';

/** Requests to which Node's HTTP server or Fastify would respond in their own format, and the status of API Gateway's response. */
const REJECTED_REQUESTS: readonly [request: string, bytes: string, status: number][] = [
  [
    'headers of more than 10,240 bytes',
    `GET /v2/echo HTTP/1.1\r\n${HEADERS}X-Long: ${'x'.repeat(10_240)}\r\n\r\n`,
    431,
  ],
  ['bytes in the path that are not ASCII', `GET /v2/caf\xe9 HTTP/1.1\r\n${HEADERS}\r\n`, 400],
  ['bytes in the query that are not ASCII', `GET /v2/echo?q=\xc3\xa9 HTTP/1.1\r\n${HEADERS}\r\n`, 400],
  ['an unknown method', `FETCH /v2/echo HTTP/1.1\r\n${HEADERS}\r\n`, 400],
  ['a malformed chunked body', `POST /v2/echo HTTP/1.1\r\n${HEADERS}Transfer-Encoding: chunked\r\n\r\nxyz\r\n`, 400],
];

describe('a request that Node’s HTTP server rejects', () => {
  test.each(REJECTED_REQUESTS)(
    'gets the gateway response DEFAULT_4XX with API Gateway’s status: %s',
    async (_, bytes, expected) => {
      const { status, headers, text } = await send(bytes, port);
      expect(status).toBe(expected);
      expect(Object.fromEntries(headers)).toMatchObject({
        'content-type': 'application/problem+json',
        'cache-control': 'no-store',
        'content-length': String(Buffer.byteLength(text)),
      });
      expect(JSON.parse(text)).toEqual({
        ...problemKind('INVALID_REQUEST'),
        status: 400,
        statusCode: 400,
        detail: 'The request is not a valid HTTP request to this service.',
        message: 'The request is not a valid HTTP request to this service.',
        requestId: headers.get('x-amzn-requestid'),
        errors: [],
      });
    },
  );

  test('does not affect the next connection', async () => {
    await send(`FETCH /v2/echo HTTP/1.1\r\n${HEADERS}\r\n`, port);
    expect((await send(`GET /v2/echo HTTP/1.1\r\n${HEADERS}\r\n`, port)).status).toBe(200);
  });
});

test.each(['site.example', 'localhost.site.example:3000', '127.0.0.1.site.example'])(
  'a request for the host %s is not served, because a page of that site may have sent it',
  async (host) => {
    const { status, text } = await send(`GET /v2/echo HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`, port);
    expect({ status, text }).toMatchObject({
      status: 421,
      text: expect.stringContaining('localhost, 127.0.0.1 and [::1]'),
    });
  },
);

test('an error of the gateway is passed to reject with status 500', async () => {
  const causes: unknown[] = [];
  const broken = createGatewayServer({
    serve: () => Promise.reject(new Error('the inside')),
    reject: (status, cause) => {
      causes.push(cause);
      return { status, headers: new Map(), body: Buffer.from('bare') };
    },
  });
  const port = await listen(broken);
  const url = `http://127.0.0.1:${port}/v2/echo`;
  const responses = [await fetch(url), await fetch(url, { method: 'POST', body: '{}' })];
  const { status, body } = await inject(broken, { url: '/v2/echo' });
  expect([status, ...responses.map((response) => response.status)]).toEqual([500, 500, 500]);
  expect([body.toString(), ...(await Promise.all(responses.map((response) => response.text())))]).toEqual([
    'bare',
    'bare',
    'bare',
  ]);
  await broken.close();
  const error = new Error('the inside');
  expect(causes).toEqual([error, error, error]);
});

test('an error of the gateway is logged, and the response does not contain it', () => {
  const { status, body } = stage.reject(500, new Error('the inside'));
  expect(status).toBe(500);
  expect(JSON.parse(body.toString())).toMatchObject(problemKind('INTERNAL_ERROR'));
  expect(body.toString()).not.toContain('inside');
  expect(stage.logs.join('')).toContain('Error: the inside');
});

test('closing waits for the response of a running request, and no request is accepted any more', async () => {
  const { promise: response, resolve: respond } = Promise.withResolvers<Awaited<ReturnType<Gateway['serve']>>>();
  const { promise: arrived, resolve: arrive } = Promise.withResolvers<void>();
  const slow = createGatewayServer({
    serve: () => {
      arrive();
      return response;
    },
    reject: () => ({ status: 500, headers: new Map(), body: Buffer.alloc(0) }),
  });
  const url = `http://127.0.0.1:${await listen(slow)}/v2/report/pla`;
  const running = fetch(url);
  await arrived;
  const closed = slow.close();
  await expect(fetch(url)).rejects.toThrow('fetch failed');
  respond({ status: 200, headers: new Map(), body: Buffer.from('rows') });
  expect(await (await running).text()).toBe('rows');
  await closed;
});
