import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { connect, createServer, type Socket } from 'node:net';

/**
 * Sends a request that a proxy has received to the service at the endpoint.
 * @param body what is sent in place of the request's body
 * @param changed headers that are added or replaced
 */
export async function forward(
  request: IncomingMessage,
  endpoint: string,
  body: NonNullable<RequestInit['body']>,
  changed: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const { host: _, connection: __, 'content-length': ___, ...headers } = request.headers;
  const sent = Object.entries({ ...headers, ...changed }).map(([name, value]): [string, string] => [
    name,
    String(value),
  ]);
  const { method = 'GET', url = '/' } = request;
  return await fetch(new URL(url, endpoint), { method, headers: sent, ...(method === 'GET' ? {} : { body }) });
}

/** Responds with the status, the type and the body of the service's response. */
export async function sendOn(passed: Response, response: ServerResponse): Promise<void> {
  response.writeHead(passed.status, { 'Content-Type': passed.headers.get('content-type') ?? '' });
  response.end(Buffer.from(await passed.arrayBuffer()));
}

/** What a packet on a dropped connection leads to: a reset, or nothing at all. */
export type Drop = 'reset' | 'silent';

/** A TCP proxy on loopback, which can drop its connections as networks do: without a sign until the next packet. */
export interface DroppingProxy extends AsyncDisposable {
  readonly endpoint: string;
  /** How many packets have arrived on dropped connections. */
  readonly lost: number;
  /** Drops all connections; later ones are forwarded. */
  drop(how: Drop): void;
}

/** @param target the URL of the service */
export async function openDroppingProxy(target: string): Promise<DroppingProxy> {
  const open = new Map<Socket, (how: Drop) => void>();
  let lost = 0;
  const server = createServer((client) => {
    const service = connect(Number(new URL(target).port), '127.0.0.1');
    for (const socket of [client, service]) socket.on('error', () => undefined); // 'close' follows
    client.pipe(service).pipe(client);
    service.on('close', () => client.destroy());
    client.on('close', () => {
      open.delete(client);
      service.destroy();
    });
    open.set(client, (how) => {
      client.unpipe(service);
      service.removeAllListeners('close').destroy();
      client.on('data', () => {
        lost += 1;
        if (how === 'reset') client.resetAndDestroy();
      });
      client.resume(); // `unpipe` has paused it
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('a TCP server has no port');
  return {
    endpoint: `http://127.0.0.1:${address.port}`,
    get lost() {
      return lost;
    },
    drop: (how) => {
      for (const dropOne of open.values()) dropOne(how);
    },
    [Symbol.asyncDispose]: async () => {
      for (const client of open.keys()) client.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
