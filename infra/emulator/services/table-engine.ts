import { spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import * as z from 'zod';

/** `dynalite` runs everywhere, in a thread of this process; `dynoxide` is a program of its own, for linux-x64 only, and nearer to AWS. */
export const ENGINES = ['dynalite', 'dynoxide'] as const;
export type EngineName = (typeof ENGINES)[number];

/** A DynamoDB on loopback. */
export interface TableEngine {
  readonly url: string;
  /** Rejects when the engine dies by itself. */
  readonly failed: Promise<never>;
  close(): Promise<void>;
}

/**
 * @param folder where the data is kept; undefined = in memory. One engine at a time may have it.
 * @throws Error when the folder cannot be opened
 */
export async function openEngine(name: EngineName, folder?: string): Promise<TableEngine> {
  return name === 'dynalite' ? openDynalite(folder) : openDynoxide(folder);
}

async function openDynalite(folder: string | undefined): Promise<TableEngine> {
  const worker = new Worker(new URL('./dynalite-thread.ts', import.meta.url), {
    name: 'dynalite',
    workerData: { path: folder },
    execArgv: [],
  });
  const failed = new Promise<never>((_, reject) => worker.on('error', reject));
  failed.catch(() => undefined);
  const ended = new Promise((resolve) => worker.once('exit', resolve));
  const listening = new Promise<unknown>((resolve) => worker.once('message', resolve));
  try {
    const { port } = z.object({ port: z.int() }).parse(await Promise.race([listening, failed]));
    const url = `http://127.0.0.1:${port}`;
    // it listens before its data is open, and an error in opening it shows only when the data is asked for
    await Promise.race([ask(url), failed]);
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
    throw cannotOpen(folder, error);
  }
}

/** Listens while its parent lives: a shell holds the other end of a pipe, so that not even kill −9 leaves the engine behind. */
const WITH_PARENT = '"$@" & engine=$!; cat > /dev/null; kill $engine; wait $engine';

async function openDynoxide(folder: string | undefined): Promise<TableEngine> {
  const program = join(import.meta.dirname, '../../node_modules/@dynoxide/linux-x64/dynoxide');
  const port = await freePort();
  const store = folder === undefined ? [] : ['--db-path', `${folder}.sqlite`];
  const command = [program, '--host', '127.0.0.1', '--port', String(port), ...store];
  const child = spawn('sh', ['-c', WITH_PARENT, 'sh', ...command], { stdio: ['pipe', 'ignore', 'ignore'] });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  let closing = false;
  const close = async () => {
    closing = true;
    child.stdin?.end();
    await ended;
  };
  const url = `http://127.0.0.1:${port}`;
  const failed = new Promise<never>((_, reject) => {
    void ended.then(() => closing || reject(new Error('dynoxide has ended')));
  });
  failed.catch(() => undefined);
  try {
    await Promise.race([askUntilListening(url), failed]);
  } catch (error) {
    await close();
    throw cannotOpen(folder, error);
  }
  return { url, failed, close };
}

async function askUntilListening(url: string): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt += 1) {
    const answered = await ask(url)
      .then(() => true)
      .catch(() => false);
    if (answered) return;
    await sleep(25);
  }
  throw new Error('it does not answer');
}

/** Lists the tables by hand: no SDK is needed to see whether an engine works. */
async function ask(url: string): Promise<void> {
  const answer = await fetch(url, {
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
  if (!answer.ok) throw new Error(`it answers ${answer.status} ${await answer.text()}`);
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

function cannotOpen(folder: string | undefined, error: unknown): Error {
  const reason = error instanceof Error ? error.message : String(error);
  const where = folder === undefined ? 'the table in memory' : `the table in ${folder}`;
  return new Error(`${where} cannot be opened: another process has it, or it is damaged (${reason})`, { cause: error });
}
