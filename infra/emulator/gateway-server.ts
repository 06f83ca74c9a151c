import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import fastify, { type FastifyReply } from 'fastify';
import type { HttpResponse } from './gateway/http-message.ts';
import { type Gateway, MAX_BODY } from './gateway.ts';
import { isLoopbackHost } from './services/loopback-host.ts';

export interface InjectRequest {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'PATCH' | 'HEAD' | 'OPTIONS';
  /** Starts with the stage: `/v2/jwt?x=1`. */
  readonly url: string;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly body?: string | Buffer;
}

interface InjectResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

/** The HTTP server in front of a gateway. */
export interface GatewayServer {
  /** @returns the port; 0 takes a free one @throws if the port is in use */
  listen(port: number): Promise<number>;
  /** Serves a request without a port. */
  request(request: InjectRequest): Promise<InjectResponse>;
  close(): Promise<void>;
}

/** API Gateway's limit on the request line and all headers together, in bytes. */
const MAX_HEADERS = 10_240;

export function createGatewayServer(gateway: Pick<Gateway, 'serve' | 'reject'>): GatewayServer {
  // The hook below serves every request: Fastify's own router would decode paths and check content types before the gateway does.
  const server = fastify({
    rewriteUrl: () => '/',
    forceCloseConnections: true,
    http: { maxHeaderSize: MAX_HEADERS, requireHostHeader: false },
    clientErrorHandler: ({ code }, socket) => rejectUnreadable(gateway, code, socket),
  });
  // an error is not logged if the client has closed the connection before the end of the body
  server.setErrorHandler((error, { raw }, reply) =>
    send(reply, gateway.reject(500, raw.readableAborted ? undefined : error)),
  );
  // emitted for an Expect header other than `100-continue`
  server.server.on('checkExpectation', (_, raw) => {
    const response = gateway.reject(417);
    raw.writeHead(response.status, Object.fromEntries(lastHeaders(response))).end(response.body);
  });
  server.addHook('onRequest', async ({ raw, ip, originalUrl }, reply) => {
    const method = raw.method ?? 'GET';
    if (raw.headers.host === undefined && raw.httpVersion === '1.1') return send(reply, gateway.reject(400));
    if (raw.headers.host !== undefined && !isLoopbackHost(raw.headers.host)) {
      return reply
        .code(421)
        .send({ message: 'The local stage serves localhost, 127.0.0.1 and [::1] only, not another name.' });
    }
    const body = await readBody(raw);
    const request = { method, target: originalUrl, headers: pairs(raw.rawHeaders), body, sourceIp: ip };
    return send(reply, await gateway.serve(request));
  });
  return {
    listen: async (port) => {
      await server.listen({ host: '127.0.0.1', port });
      const address = server.server.address();
      return typeof address === 'object' && address !== null ? address.port : port;
    },
    request: async ({ method = 'GET', url, headers, body }) => {
      const response = await server.inject({
        method,
        url,
        ...(headers === undefined ? {} : { headers: { ...headers } }),
        ...(body === undefined ? {} : { body }),
      });
      const sent = Object.entries(response.headers).map(([name, value]) => [name, toText(value)]);
      return { status: response.statusCode, headers: Object.fromEntries(sent), body: response.rawPayload };
    },
    close: () => server.close(),
  };
}

/** @returns the body, or its first MAX_BODY + 1 bytes if it is longer; the rest is read and discarded */
async function readBody(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of message) {
    if (bytes <= MAX_BODY) chunks.push(chunk);
    bytes += chunk.length;
  }
  return Buffer.concat(chunks).subarray(0, MAX_BODY + 1);
}

function send(reply: FastifyReply, { status, headers, body }: HttpResponse): FastifyReply {
  reply.code(status);
  for (const [name, values] of headers) reply.header(name, values.length === 1 ? values[0] : [...values]);
  return reply.send(body);
}

/** Writes the response to bytes that Node's parser rejects, such as headers over MAX_HEADERS or a path that is not ASCII. */
function rejectUnreadable(gateway: Pick<Gateway, 'reject'>, code: string | undefined, socket: Socket): void {
  if (code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const response = gateway.reject(PARSER_STATUS.get(code ?? '') ?? 400);
  const lines = [
    `HTTP/1.1 ${response.status} ${STATUS_CODES[response.status] ?? ''}`,
    ...lastHeaders(response).map(([name, value]) => `${name}: ${value}`),
  ];
  const head = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
  socket.end(Buffer.concat([head, response.body]), () => socket.destroy());
}

const PARSER_STATUS: ReadonlyMap<string, number> = new Map([
  ['HPE_HEADER_OVERFLOW', 431],
  ['ERR_HTTP_REQUEST_TIMEOUT', 408],
]);

/** @returns the headers of the last response of a connection */
function lastHeaders({ headers, body }: HttpResponse): [name: string, value: string][] {
  const own = [...headers].map(([name, values]): [string, string] => [name, values.join(', ')]);
  return [...own, ['Content-Length', String(body.length)], ['Connection', 'close']];
}

function pairs(rawHeaders: readonly string[]): [string, string][] {
  const names = rawHeaders.filter((_, index) => index % 2 === 0);
  return names.map((name, index) => [name, rawHeaders[index * 2 + 1] ?? '']);
}

function toText(value: string | number | string[] | undefined): string | string[] | undefined {
  return typeof value === 'number' ? String(value) : value;
}
