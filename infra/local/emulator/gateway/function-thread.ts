/**
 * The worker thread of a function instance: imports the bundle once, then handles one event after another. It imports nothing from this
 * repository, so the handler runs from the bundle, as on Lambda. Unlike there, a package that the bundle lacks is found in the repository's `node_modules`.
 */
import { pathToFileURL } from 'node:url';
import { parentPort, workerData } from 'node:worker_threads';

interface Invocation {
  readonly event: string;
  readonly context: object;
  /** Milliseconds since the epoch. */
  readonly endsAt: number;
}

const { handler } = await import(pathToFileURL(workerData.file).href);

parentPort?.on('message', async ({ event, context, endsAt }: Invocation) => {
  try {
    const result = await handler(JSON.parse(event), {
      ...context,
      callbackWaitsForEmptyEventLoop: true,
      getRemainingTimeInMillis: () => Math.max(0, endsAt - Date.now()),
    });
    parentPort?.postMessage({ kind: 'result', payload: JSON.stringify(result) ?? 'null' });
  } catch (error) {
    const reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
    parentPort?.postMessage({ kind: 'failure', reason });
  }
});
