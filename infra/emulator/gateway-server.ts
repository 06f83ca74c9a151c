import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import fastify, { type FastifyReply } from 'fastify';
import type { Answer } from './gateway/gateway-response.ts';
import type { HttpRequest } from './gateway/http-message.ts';
import { MAX_BODY, type Stage } from './gateway.ts';

export interface InjectRequest {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'PATCH' | 'HEAD' | 'OPTIONS';
  /** From the stage on: `/v2/jwt?x=1`. */
  readonly url: string;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly body?: string | Buffer;
}

export interface InjectResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

/** HTTP before a stage, and before pages that are no part of the API. */
export interface GatewayServer {
  /** @returns the port, which is a free one for 0 @throws when it is taken */
  listen(port: number): Promise<number>;
  /** The same without a port. */
  request(request: InjectRequest): Promise<InjectResponse>;
  close(): Promise<void>;
}

/** All headers together, as API Gateway takes them. */
const MAX_HEADERS = 10_240;

/** @param pages answers what is not the API's, before it is asked */
export function createGatewayServer(
  stage: Pick<Stage, 'serve' | 'refuse'>,
  pages: (request: Pick<HttpRequest, 'method' | 'target'>) => Promise<Answer | undefined> = async () => undefined,
): GatewayServer {
  // Fastify routes nothing: it would decode paths and judge content types before API Gateway's rules are asked.
  const server = fastify({
    rewriteUrl: () => '/',
    forceCloseConnections: true,
    http: { maxHeaderSize: MAX_HEADERS, requireHostHeader: false },
    clientErrorHandler: ({ code }, socket) => refuseUnreadable(stage, code, socket),
  });
  server.setErrorHandler((error, { raw }, reply) => send(reply, stage.refuse(500, raw.destroyed ? undefined : error)));
  server.server.on('checkExpectation', (_, response) => {
    const answer = stage.refuse(417);
    response.writeHead(answer.status, Object.fromEntries(headerLines(answer))).end(answer.body);
  });
  server.addHook('onRequest', async ({ raw, ip, originalUrl }, reply) => {
    const method = raw.method ?? 'GET';
    if (raw.headers.host === undefined && raw.httpVersion === '1.1') return send(reply, stage.refuse(400));
    const page = await pages({ method, target: originalUrl });
    const body = page === undefined ? await readBody(raw) : Buffer.alloc(0);
    const request = { method, target: originalUrl, headers: pairs(raw.rawHeaders), body, sourceIp: ip };
    return send(reply, page ?? (await stage.serve(request)));
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
      const sent = Object.entries(response.headers).map(([name, value]) => [name, text(value)]);
      return { status: response.statusCode, headers: Object.fromEntries(sent), body: response.rawPayload };
    },
    close: () => server.close(),
  };
}

/** @returns the body, or its first MAX_BODY + 1 bytes where it is longer; the rest is thrown away as it arrives. */
async function readBody(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of message) {
    if (bytes <= MAX_BODY) chunks.push(chunk);
    bytes += chunk.length;
  }
  return Buffer.concat(chunks).subarray(0, MAX_BODY + 1);
}

function send(reply: FastifyReply, { status, headers, body }: Answer): FastifyReply {
  reply.code(status);
  for (const [name, values] of headers) reply.header(name, values.length === 1 ? values[0] : [...values]);
  return reply.send(body);
}

/** Answers by hand what Node's parser does not take for a request: headers over MAX_HEADERS, a path with other characters than ASCII's. */
function refuseUnreadable(stage: Pick<Stage, 'refuse'>, code: string | undefined, socket: Socket): void {
  if (code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const answer = stage.refuse(PARSER_STATUS.get(code ?? '') ?? 400);
  const lines = [
    `HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status] ?? ''}`,
    ...headerLines(answer).map(([name, value]) => `${name}: ${value}`),
  ];
  const head = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
  socket.end(Buffer.concat([head, answer.body]), () => socket.destroy());
}

const PARSER_STATUS: ReadonlyMap<string, number> = new Map([
  ['HPE_HEADER_OVERFLOW', 431],
  ['ERR_HTTP_REQUEST_TIMEOUT', 408],
]);

/** The headers of an answer after which the connection is closed. */
function headerLines({ headers, body }: Answer): [name: string, value: string][] {
  const own = [...headers].map(([name, values]): [string, string] => [name, values.join(', ')]);
  return [...own, ['Content-Length', String(body.length)], ['Connection', 'close']];
}

function pairs(rawHeaders: readonly string[]): [string, string][] {
  const names = rawHeaders.filter((_, index) => index % 2 === 0);
  return names.map((name, index) => [name, rawHeaders[index * 2 + 1] ?? '']);
}

function text(value: string | number | string[] | undefined): string | string[] | undefined {
  return typeof value === 'number' ? String(value) : value;
}
