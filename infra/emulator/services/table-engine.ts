import { Worker } from 'node:worker_threads';
import * as z from 'zod';
import { keepNativeModuleLoaded } from './dynalite-modules.ts';

/** Limits of dynalite's heap, which otherwise fills with garbage under load. */
const MAX_HEAP_MB = 512;
const MAX_YOUNG_HEAP_MB = 32;

/** An emulated DynamoDB on loopback. */
export interface TableEngine {
  readonly url: string;
  /** Rejects if the engine fails before `close` is called. */
  readonly failed: Promise<never>;
  close(): Promise<void>;
}

/**
 * Starts dynalite in a thread of this process.
 * @param path the folder where the data is stored, which only one engine can use at a time; undefined = in memory
 * @throws Error if the data cannot be opened, or the engine does not start
 */
export async function openEngine(path?: string): Promise<TableEngine> {
  keepNativeModuleLoaded();
  const worker = new Worker(new URL('./dynalite-thread.ts', import.meta.url), {
    name: 'dynalite',
    workerData: { path },
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB, maxYoungGenerationSizeMb: MAX_YOUNG_HEAP_MB },
  });
  const failed = new Promise<never>((_, reject) => worker.on('error', reject));
  failed.catch(() => undefined); // nobody may wait for it
  const ended = new Promise((resolve) => worker.once('exit', resolve));
  const listening = new Promise<unknown>((resolve) => worker.once('message', resolve));
  try {
    const { port } = z.object({ port: z.int() }).parse(await Promise.race([listening, failed]));
    const url = `http://127.0.0.1:${port}`;
    // dynalite listens before its data is open, so only a request shows whether it could be opened
    await Promise.race([listTables(url), failed]);
    return {
      url,
      failed,
      close: async () => {
        worker.postMessage('close');
        await ended;
      },
    };
  } catch (error) {
    await worker.terminate();
    throw cannotOpen(path, error);
  }
}

/** Sends a ListTables call without the SDK, to check that the engine works. */
export async function listTables(url: string): Promise<void> {
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/x-amz-json-1.0',
      'X-Amz-Target': 'DynamoDB_20120810.ListTables',
      'X-Amz-Date': '20260101T000000Z',
      Authorization:
        'AWS4-HMAC-SHA256 Credential=local/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0',
    },
    body: '{}',
  });
  if (!response.ok) throw new Error(`the engine responded ${response.status} ${await response.text()}`);
}

function cannotOpen(path: string | undefined, error: unknown): Error {
  const reason = error instanceof Error ? error.message : String(error);
  const message =
    path === undefined
      ? `the table engine cannot be started: ${reason}`
      : `the table in ${path} cannot be opened: another process uses it, or it is damaged (${reason})`;
  return new Error(message, { cause: error });
}
