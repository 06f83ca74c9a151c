/**
 * The worker thread of functions: imports the bundle of each once, when its first event comes, and handles one event after another. It imports nothing from this
 * repository, so the handlers run from the bundles, as on Lambda. Unlike there, a package that a bundle lacks is found in the repository's `node_modules`.
 */
import { pathToFileURL } from 'node:url';
import { parentPort } from 'node:worker_threads';

interface Invocation {
  /** The bundle's main file. */
  readonly file: string;
  /** All variables of the function. */
  readonly environment: Readonly<Record<string, string>>;
  readonly event: string;
  readonly context: object;
  /** Milliseconds since the epoch. */
  readonly endsAt: number;
}

parentPort?.on('message', async ({ file, environment, event, context, endsAt }: Invocation) => {
  try {
    for (const name of Object.keys(process.env)) if (!(name in environment)) delete process.env[name];
    Object.assign(process.env, environment);
    const { handler } = await import(pathToFileURL(file).href);
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
