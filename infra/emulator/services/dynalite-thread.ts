/** The inside of the dynalite engine: it shares no event loop with the stage, so neither waits for the other. */
import type { Server } from 'node:http';
import { createRequire } from 'node:module';
import { parentPort, workerData } from 'node:worker_threads';

// dynalite has no types of its own
const dynalite: (options: object) => Server = createRequire(import.meta.url)('dynalite');
const { path } = workerData;
const server = dynalite({ ...(path === undefined ? {} : { path }), createTableMs: 0, deleteTableMs: 0 });

// dynalite throws when a client goes away in the middle of a request, as one that is killed does
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
