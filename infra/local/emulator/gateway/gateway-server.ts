import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import fastify, { type FastifyReply } from 'fastify';
import { isLoopbackHost } from '../services/loopback-host.ts';
import { type Gateway, INTEGRATION_MS, MAX_BODY } from './gateway.ts';
import type { HttpResponse } from './http-message.ts';

/** API Gateway's limit on the request line and all headers together, in bytes. */
const MAX_HEADERS = 10_240;

/** @returns the HTTP server in front of a gateway. Its `close` waits for the responses of running requests, at most as long as API Gateway does. */
export function createGatewayServer(gateway: Pick<Gateway, 'serve' | 'reject'>) {
  // The hook below serves every request: Fastify's own router would decode paths and check content types before the gateway does.
  const server = fastify({
    rewriteUrl: () => '/',
    forceCloseConnections: 'idle',
    http: { maxHeaderSize: MAX_HEADERS },
    clientErrorHandler: ({ code }, socket) => rejectUnreadable(gateway, code, socket),
  });
  // an error is not logged if the client has closed the connection before the end of the body
  server.setErrorHandler((error, { raw }, reply) =>
    send(reply, gateway.reject(500, raw.readableAborted ? undefined : error)),
  );
  let isClosing = false;
  server.addHook('preClose', async () => {
    isClosing = true;
    setTimeout(() => server.server.closeAllConnections(), INTEGRATION_MS).unref();
  });
  server.addHook('onRequest', async ({ raw, ip, originalUrl }, reply) => {
    const method = raw.method ?? 'GET';
    if (raw.headers.host !== undefined && !isLoopbackHost(raw.headers.host)) {
      return reply
        .code(421)
        .send({ message: 'The local stage serves localhost, 127.0.0.1 and [::1] only, not another name.' });
    }
    const body = await readBody(raw);
    const request = { method, target: originalUrl, headers: pairs(raw.rawHeaders), body, sourceIp: ip };
    const response = await gateway.serve(request);
    if (isClosing) reply.header('Connection', 'close'); // otherwise the server would wait for the client to close it
    return send(reply, response);
  });
  return server;
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
    ...[...response.headers].map(([name, values]) => `${name}: ${values.join(', ')}`),
    `Content-Length: ${response.body.length}`,
    'Connection: close',
  ];
  const head = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
  socket.end(Buffer.concat([head, response.body]), () => socket.destroy());
}

const PARSER_STATUS: ReadonlyMap<string, number> = new Map([
  ['HPE_HEADER_OVERFLOW', 431],
  ['ERR_HTTP_REQUEST_TIMEOUT', 408],
]);

function pairs(rawHeaders: readonly string[]): [string, string][] {
  const names = rawHeaders.filter((_, index) => index % 2 === 0);
  return names.map((name, index) => [name, rawHeaders[index * 2 + 1] ?? '']);
}
