import { spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import * as z from 'zod';
import { keepNativeModuleLoaded } from './dynalite-modules.ts';

/**
 * `dynalite` runs on every platform, in a thread of this process. `dynoxide` is a separate program for linux-x64, closer to DynamoDB; only tests use
 * it, because it responds to any origin.
 */
export type EngineName = 'dynalite' | 'dynoxide';
/** The engine of the local stage and its data folder. */
export const LOCAL_ENGINE: EngineName = 'dynalite';

/** A busy machine may take this long to start a program. */
const START_MS = 60_000;

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
 * @param path where the data is stored: the folder of dynalite; dynoxide appends `.sqlite` and writes a file. undefined = in memory. Only one engine can use it at a time.
 * @throws Error if the data cannot be opened, or the engine does not start
 */
export async function openEngine(name: EngineName, path?: string): Promise<TableEngine> {
  return name === 'dynalite' ? openDynalite(path) : openDynoxide(path);
}

async function openDynalite(path: string | undefined): Promise<TableEngine> {
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

/**
 * The shell runs the engine and exits when the engine does. When the shell's stdin, a pipe from this process, is closed, the shell kills the engine;
 * the pipe is also closed if this process is killed with SIGKILL. (`exec 3<&0`, because a shell connects the stdin of background commands to /dev/null.)
 */
const RUN_UNTIL_PARENT_ENDS = 'exec 3<&0; "$@" & engine=$!; { cat <&3 > /dev/null; kill $engine; } & wait $engine';

async function openDynoxide(path: string | undefined): Promise<TableEngine> {
  const program = join(dirname(fileURLToPath(import.meta.resolve('@dynoxide/linux-x64/package.json'))), 'dynoxide');
  const port = await freePort();
  const store = path === undefined ? [] : ['--db-path', `${path}.sqlite`];
  const command = [program, '--host', '127.0.0.1', '--port', String(port), ...store];
  const child = spawn('sh', ['-c', RUN_UNTIL_PARENT_ENDS, 'sh', ...command], { stdio: ['pipe', 'ignore', 'ignore'] });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const closing = new AbortController();
  const close = async () => {
    closing.abort();
    child.stdin?.end();
    await ended;
  };
  const url = `http://127.0.0.1:${port}`;
  const failed = new Promise<never>((_, reject) => {
    void ended.then(() => {
      if (!closing.signal.aborted) reject(new Error('dynoxide ended'));
    });
  });
  failed.catch(() => undefined);
  try {
    await Promise.race([waitUntilListening(url, closing.signal), failed]);
  } catch (error) {
    await close();
    throw cannotOpen(path, error);
  }
  return { url, failed, close };
}

async function waitUntilListening(url: string, signal: AbortSignal): Promise<void> {
  const deadline = performance.now() + START_MS;
  while (!signal.aborted) {
    const isListening = await listTables(url).then(
      () => true,
      () => false,
    );
    if (isListening) return;
    if (performance.now() > deadline) throw new Error(`no response within ${START_MS / 1000} s`);
    await sleep(25);
  }
}

/** Sends a ListTables call without the SDK, to check that the engine works. */
async function listTables(url: string): Promise<void> {
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

function freePort(): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const server = createServer().once('error', reject);
  server.listen(0, '127.0.0.1', () => {
    const address = server.address();
    server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
  });
  return promise;
}

function cannotOpen(path: string | undefined, error: unknown): Error {
  const reason = error instanceof Error ? error.message : String(error);
  const message =
    path === undefined
      ? `the table engine cannot be started: ${reason}`
      : `the table in ${path} cannot be opened: another process uses it, or it is damaged (${reason})`;
  return new Error(message, { cause: error });
}
