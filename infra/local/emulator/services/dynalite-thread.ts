/** The worker thread of the dynalite engine, so that its work does not block the event loop of the local stage. */
import type { RequestListener, Server } from 'node:http';
import { createRequire } from 'node:module';
import { parentPort, workerData } from 'node:worker_threads';
import { addIteratorReturn } from './dynalite-modules.ts';
import { isFromProgram } from './loopback-host.ts';

addIteratorReturn();
// dynalite comes without types
const dynalite: (options: object) => Server = createRequire(import.meta.url)('dynalite');
const { path } = workerData;
const server = dynalite({ ...(path === undefined ? {} : { path }), createTableMs: 0, deleteTableMs: 0 });

// dynalite allows every origin, so any page in a browser could read and write the table
const [serve] = server.listeners('request') as RequestListener[]; // what an HTTP server calls for a request
server.removeAllListeners('request').on('request', (request, response) => {
  if (isFromProgram(request)) serve?.(request, response);
  else response.writeHead(403).end('The emulated DynamoDB does not serve web pages.\n');
});

// dynalite throws if a client disconnects during a request, for example because it was killed
process.on('uncaughtException', (error: Error) => {
  if (!('code' in error && error.code === 'ECONNRESET')) throw error;
});

server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  parentPort?.postMessage({ port: typeof address === 'object' ? address?.port : undefined });
});

parentPort?.once('message', () => {
  server.close(() => process.exit());
  server.closeAllConnections();
});
