import { once } from 'node:events';
import { createServer, request as startRequest } from 'node:http';

/** A proxy on loopback, for clients that cannot send another Host header than that of their URL. */
export interface Forwarder extends AsyncDisposable {
  readonly origin: string;
}

/** @param host the Host header of the forwarded requests, by which an emulator selects the API */
export async function startForwarder(endpoint: string, host: string): Promise<Forwarder> {
  const server = createServer((incoming, outgoing) => {
    const { method, url = '/', headers } = incoming;
    const forwarded = startRequest(new URL(url, endpoint), { method, headers: { ...headers, host } }, (response) => {
      outgoing.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(outgoing);
    });
    forwarded.on('error', (error) => outgoing.writeHead(502).end(error.message));
    incoming.pipe(forwarded);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('a TCP server has no port');
  const close = async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  };
  return { origin: `http://127.0.0.1:${address.port}`, [Symbol.asyncDispose]: close };
}
