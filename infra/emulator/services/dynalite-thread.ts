/** The worker thread of the dynalite engine, so that its work does not block the event loop of the local stage. */
import type { Server } from 'node:http';
import { createRequire } from 'node:module';
import { parentPort, workerData } from 'node:worker_threads';

// dynalite comes without types
const dynalite: (options: object) => Server = createRequire(import.meta.url)('dynalite');
const { path } = workerData;
const server = dynalite({ ...(path === undefined ? {} : { path }), createTableMs: 0, deleteTableMs: 0 });

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
