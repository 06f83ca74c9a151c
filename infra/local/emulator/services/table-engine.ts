import { Worker } from 'node:worker_threads';
import * as z from 'zod';
import { keepNativeModuleLoaded } from './dynalite-modules.ts';

/** Limit of dynalite's heap, which otherwise fills with garbage under load. */
const MAX_HEAP_MB = 512;

/**
 * Starts dynalite, an emulated DynamoDB, on loopback, in a thread of this process. `failed` rejects if it fails before `close` is called.
 * @param path the folder where the data is stored, which only one engine can use at a time; undefined = in memory
 * @throws Error if the engine does not start; it listens before its data is open, so only a request shows whether that could be opened
 */
export async function openEngine(path?: string) {
  keepNativeModuleLoaded();
  const worker = new Worker(new URL('./dynalite-thread.ts', import.meta.url), {
    name: 'dynalite',
    workerData: { path },
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
  });
  const failed = new Promise<never>((_, reject) => worker.on('error', reject));
  failed.catch(() => undefined); // nobody may wait for it
  const ended = new Promise((resolve) => worker.once('exit', resolve));
  const listening = new Promise<unknown>((resolve) => worker.once('message', resolve));
  const { port } = z.object({ port: z.int() }).parse(await Promise.race([listening, failed]));
  return {
    url: `http://127.0.0.1:${port}`,
    failed,
    close: async () => {
      worker.postMessage('close');
      await ended;
    },
  };
}
