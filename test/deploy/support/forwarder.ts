import { once } from 'node:events';
import { createServer, request as startRequest } from 'node:http';

/** Where an emulator serves a deployed API: it selects the API by the Host header. */
interface Address {
  readonly url: string;
  readonly host: string;
}

/** @param apiUrl the URL that the API would have on AWS */
export function addressAt(endpoint: string, apiUrl: string): Address {
  const { host, pathname } = new URL(apiUrl);
  const [apiId] = host.split('.');
  return { url: endpoint + pathname, host: `${apiId}.execute-api.localhost` };
}

/** A proxy on loopback, for clients that cannot send another Host header than that of their URL. */
export interface Forwarder extends AsyncDisposable {
  /** The API's base URL. */
  readonly url: string;
}

/** @param apiUrl the URL that the API would have on AWS */
export async function startForwarder(endpoint: string, apiUrl: string): Promise<Forwarder> {
  const { host } = addressAt(endpoint, apiUrl);
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
  const { pathname } = new URL(apiUrl);
  return { url: `http://127.0.0.1:${address.port}${pathname}`, [Symbol.asyncDispose]: close };
}
