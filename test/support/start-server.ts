import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';

/** An HTTP server, which is closed with its connections when it is disposed. */
export interface LoopbackServer extends AsyncDisposable {
  /** Its URL, without a path. */
  readonly endpoint: string;
}

/** Starts an HTTP server on a free loopback port. */
export async function startServer(onRequest: RequestListener): Promise<LoopbackServer> {
  const server = createServer(onRequest).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('a TCP server has no port');
  return {
    endpoint: `http://127.0.0.1:${address.port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
