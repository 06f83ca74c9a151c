import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll } from 'vitest';
import { findRunningStage, openDataDir } from '../../infra/local/data-dir.ts';
import { userIdKeyIn } from '../../infra/local/user-id-key-file.ts';
import { type RunningLoad, startLoad } from '../support/running-load.ts';

/** The service as its users run it: in its own processes, loaded with the commands, and requested over HTTP. */
export interface RealStage {
  /** The base address with the stage, `http://localhost:…/v2`. */
  readonly url: string;
  readonly pid: number | undefined;
  /** @returns the output of the process and its functions so far */
  log(): string;
  /** Runs `npm run load`. @returns its output @throws Error if its exit code is not 0 */
  load(folder: string): Promise<string>;
  /** Starts `npm run load`. */
  startLoad(folder: string): RunningLoad;
  /** Runs `npm run key -- create`. @returns a new key of the user */
  createKey(userId: string): Promise<string>;
  /** @returns a key of the user that was created and revoked */
  createRevokedKey(userId: string): Promise<string>;
  /** @throws Error if the status is not 200 */
  report(key: string, experience: string, request: object): Promise<ReportResponse>;
  /** @throws Error if the status is not 200 */
  list(key: string, path: string): Promise<ListResponse>;
  close(): Promise<void>;
}

export type ReportRow = Readonly<Record<string, string | number | null>>;

export interface ReportResponse {
  readonly data: readonly ReportRow[];
  readonly totalCount: number;
  readonly totals: ReportRow;
  readonly meta: Readonly<Record<string, unknown>>;
}

export interface ListResponse {
  readonly data: readonly { readonly id: number }[];
  readonly meta: { readonly page: { readonly total: number; readonly hasMore: boolean } };
}

const ROOT = new URL('../..', import.meta.url);
const START_MS = 120_000;

/**
 * Starts the service with an empty data folder and without the demo network.
 * @param userIdKey the key with which its loads hash user ids; absent = a random one
 */
export async function startRealStage(userIdKey?: Uint8Array): Promise<RealStage> {
  const folder = mkdtempSync(join(tmpdir(), 'endcap-real-'));
  const dataDir = join(folder, 'data');
  openDataDir(dataDir).writeDemo({ state: 'declined' });
  await userIdKeyIn(dataDir, userIdKey)();
  const env = { ...process.env, DATA_DIR: dataDir, PORT: '0', LOG: 'json' };
  const log = openSync(join(folder, 'stage.log'), 'w');
  const server = spawn(process.execPath, ['infra/cli/start.ts'], { cwd: ROOT, env, stdio: ['ignore', log, log] });
  const ended = once(server, 'exit');
  const close = async () => {
    server.kill('SIGINT');
    await ended;
    closeSync(log);
    rmSync(folder, { recursive: true });
  };
  try {
    const url = `${await waitForStage(dataDir, () => server.exitCode === null)}/v2`;
    const readLog = () => readFileSync(join(folder, 'stage.log'), 'utf8');
    return { url, pid: server.pid, log: readLog, ...commandsOn(env), ...requestsTo(url), close };
  } catch (error) {
    const output = readFileSync(join(folder, 'stage.log'), 'utf8');
    await close();
    throw new Error(`the stage did not start: ${output}`, { cause: error });
  }
}

/** Limits of keys high enough for benchmarks, which exceed the default ones. */
const UNLIMITED = ['--rpm', '1000000', '--concurrency', '1000', '--daily-units', '1000000000000'];

function commandsOn(env: NodeJS.ProcessEnv): Pick<RealStage, 'load' | 'startLoad' | 'createKey' | 'createRevokedKey'> {
  const run = async (...command: string[]) => {
    const { stdout } = await promisify(execFile)('npm', ['run', '--silent', ...command], { cwd: ROOT, env });
    return stdout;
  };
  return {
    load: (folder) => run('load', '--', folder),
    startLoad: (folder) => startLoad(folder, env),
    createKey: async (userId) => {
      const output = await run('key', '--', 'create', '--user', userId, ...UNLIMITED);
      return output.split('\n')[0] ?? '';
    },
    createRevokedKey: async (userId) => {
      const output = await run('key', '--', 'create', '--user', userId);
      const [, key = '', id = ''] = /^(\S+)\n[\s\S]*\n(\S+) {2}created/.exec(output) ?? [];
      await run('key', '--', 'revoke', '--user', userId, '--id', id);
      return key;
    },
  };
}

function requestsTo(base: string): Pick<RealStage, 'report' | 'list'> {
  const call = async <T>(key: string, path: string, init: RequestInit = {}): Promise<T> => {
    const headers = {
      ...{ 'Ocp-Apim-Subscription-Key': key, 'content-type': 'application/json' },
      'accept-encoding': 'identity',
    };
    const response = await fetch(base + path, { ...init, headers });
    if (response.status !== 200) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return response.json() as Promise<T>; // the tests compare every member that they read
  };
  return {
    report: (key, experience, request) =>
      call(key, `/report/${experience}`, { method: 'POST', body: JSON.stringify(request) }),
    list: (key, path) => call(key, path),
  };
}

async function waitForStage(dataDir: string, isRunning: () => boolean): Promise<string> {
  const deadline = Date.now() + START_MS;
  while (isRunning() && Date.now() < deadline) {
    const stage = await findRunningStage(dataDir);
    if (stage !== undefined) return stage.url;
    await sleep(100);
  }
  throw new Error(isRunning() ? `the stage did not respond within ${START_MS / 1000} s` : 'the process has exited');
}

/** A stage with a loaded folder, and requests of the folder's user `analyst`. */
interface LoadedStage {
  report(experience: string, request: object): Promise<ReportResponse>;
  list(path: string): Promise<ListResponse>;
  /** Loads the folder again. @returns the output of the command */
  loadAgain(): Promise<string>;
}

/** Starts a stage before the tests of the calling file and stops it after them. @param writeFolder writes the load files into a folder */
export function useLoadedStage(writeFolder: (folder: string) => void): LoadedStage {
  const folder = mkdtempSync(join(tmpdir(), 'endcap-real-folder-'));
  let stage: RealStage;
  let key: string;

  beforeAll(async () => {
    writeFolder(folder);
    stage = await startRealStage();
    await stage.load(folder);
    key = await stage.createKey('analyst');
  });

  afterAll(async () => {
    await stage?.close();
    rmSync(folder, { recursive: true });
  });

  return {
    report: (experience, request) => stage.report(key, experience, request),
    list: (path) => stage.list(key, path),
    loadAgain: () => stage.load(folder),
  };
}
