import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createGatewayServer } from '../../../infra/emulator/gateway-server.ts';
import { GATEWAY_HEADERS, GATEWAY_RESPONSES, gatewayBody } from '../../../infra/stack/gateway-responses.ts';
import { problemKind } from '../../../shared/contract/problem.ts';
import { deadlineExceeded } from '../../../shared/lib/deadline.ts';
import { readSource } from '../../rules/source-files.ts';
import { type EchoStage, openEchoStage } from './echo-stage.ts';

const UNREADABLE = GATEWAY_RESPONSES.find(({ type }) => type.responseType === 'DEFAULT_4XX');
if (UNREADABLE === undefined) throw new Error('the template lacks the gateway response DEFAULT_4XX');

let port: number;
let plain: EchoStage;
let own: EchoStage;
let ownPort: number;
beforeAll(async () => {
  plain = openEchoStage();
  port = await plain.listen(0);
  own = openEchoStage({
    resources: {
      Default: {
        Type: 'AWS::ApiGateway::GatewayResponse',
        Properties: {
          ResponseType: 'DEFAULT_4XX',
          StatusCode: '422',
          ResponseParameters: Object.fromEntries(
            Object.entries(GATEWAY_HEADERS).map(([name, value]) => [`gatewayresponse.header.${name}`, `'${value}'`]),
          ),
          ResponseTemplates: { 'application/json': gatewayBody(UNREADABLE) },
        },
      },
    },
  });
  ownPort = await own.listen(0);
});
afterAll(() => Promise.all([plain.close(), own.close()]));

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

const HEAD = 'Host: localhost\r\nConnection: close\r\n';
test('a 504 has the same text from the gateway as from a function, with the time in the documented limits', () => {
  const details = GATEWAY_RESPONSES.filter(({ code }) => code === 'DEADLINE_EXCEEDED').map(({ detail }) => detail);
  expect(details).toEqual([deadlineExceeded().message]);
  const [, limit] = /\| time per request \| (.*) \|/.exec(readSource('functions/README.md')) ?? [];
  expect(details[0]).toContain(`not ready within ${limit}.`);
});

/* Requests to which Node's HTTP server or Fastify would respond in their own format. */
const UNREADABLE_REQUESTS: readonly [request: string, bytes: string, status: number][] = [
  ['headers of more than 10,240 bytes', `GET /v9/echo HTTP/1.1\r\n${HEAD}X-Long: ${'x'.repeat(10_240)}\r\n\r\n`, 431],
  ['bytes in the path that are not ASCII', `GET /v9/caf\xe9 HTTP/1.1\r\n${HEAD}\r\n`, 400],
  ['bytes in the query that are not ASCII', `GET /v9/echo?q=\xc3\xa9 HTTP/1.1\r\n${HEAD}\r\n`, 400],
  ['an unknown method', `FETCH /v9/echo HTTP/1.1\r\n${HEAD}\r\n`, 400],
  ['a missing Host header', 'GET /v9/echo HTTP/1.1\r\nConnection: close\r\n\r\n', 400],
  ['an Expect header', `POST /v9/echo HTTP/1.1\r\n${HEAD}Expect: more\r\nContent-Length: 0\r\n\r\n`, 417],
  ['a malformed chunked body', `POST /v9/echo HTTP/1.1\r\n${HEAD}Transfer-Encoding: chunked\r\n\r\nxyz\r\n`, 400],
];

describe('a request that is not valid HTTP', () => {
  test.each(UNREADABLE_REQUESTS)('gets API Gateway’s default response: %s', async (_, bytes, status) => {
    const response = await send(bytes, port);
    expect({ status: response.status, text: response.text }).toEqual({ status, text: '{"message":"Bad Request"}' });
    expect(response.headers.get('x-amzn-requestid')).toMatch(/^[0-9a-f-]{36}$/);
  });

  test.each(UNREADABLE_REQUESTS)('gets the template’s gateway response DEFAULT_4XX: %s', async (_, bytes) => {
    const { status, headers, text } = await send(bytes, ownPort);
    expect(status).toBe(422);
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'application/problem+json',
      'cache-control': 'no-store',
      'content-length': String(Buffer.byteLength(text)),
    });
    expect(JSON.parse(text)).toEqual({
      ...problemKind('INVALID_REQUEST'),
      detail: UNREADABLE.detail,
      message: UNREADABLE.detail,
      requestId: headers.get('x-amzn-requestid'),
      errors: [],
    });
  });

  test('does not affect the next connection', async () => {
    expect((await send(`GET /v9/echo HTTP/1.1\r\n${HEAD}\r\n`, port)).status).toBe(200);
  });
});

test.each(['site.example', 'localhost.site.example:3000', '127.0.0.1.site.example'])(
  'a request for the host %s is not served, because a page of that site may have sent it',
  async (host) => {
    const { status, text } = await send(`GET /v9/echo HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`, port);
    expect({ status, text }).toMatchObject({ status: 421, text: expect.stringContaining('localhost and 127.0.0.1') });
  },
);

test('an error of the gateway is logged and not sent to the caller', async () => {
  const causes: unknown[] = [];
  const broken = createGatewayServer({
    serve: () => Promise.reject(new Error('the inside')),
    reject: (status, cause) => {
      causes.push(cause);
      return { status, headers: new Map(), body: Buffer.from('bare') };
    },
  });
  const { status, body } = await broken.request({ url: '/v9/echo' });
  await broken.close();
  expect({ status, body: body.toString(), causes }).toEqual({
    status: 500,
    body: 'bare',
    causes: [new Error('the inside')],
  });
});

test('an error of the gateway is in the log', () => {
  const { status, body } = plain.reject(500, new Error('the inside'));
  expect({ status, body: body.toString() }).toEqual({ status: 500, body: '{"message":"Internal server error"}' });
  expect(plain.logs.join('')).toContain('Error: the inside');
});
