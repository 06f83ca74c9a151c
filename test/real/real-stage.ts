import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { findRunningStage, openDataDir } from '../../infra/start/data-dir.ts';

/** The service as its user runs it: in processes of its own, filled by the commands, asked over HTTP. */
export interface RealStage {
  /** With the stage: `http://localhost:…/v2`. */
  readonly url: string;
  /** All that the process and its functions have written so far. */
  log(): string;
  /** `npm run load`: @returns what it prints @throws Error when it ends with another code than 0 */
  load(folder: string): Promise<string>;
  /** Starts `npm run load` and ends it as kill −9 does, so many milliseconds later. @returns false when it was done by then */
  killLoad(folder: string, afterMs: number): Promise<boolean>;
  /** `npm run key`: @returns a new key of the user */
  createKey(userId: string): Promise<string>;
  /** A key that was the user's, and no longer is. */
  createRevokedKey(userId: string): Promise<string>;
  report(key: string, experience: string, request: object): Promise<ReportAnswer>;
  list(key: string, path: string): Promise<ListAnswer>;
  close(): Promise<void>;
}

export type ReportRow = Readonly<Record<string, string | number | null>>;

export interface ReportAnswer {
  readonly headers: readonly { readonly name: string; readonly standardError?: number }[];
  readonly data: readonly ReportRow[];
  readonly totalCount: number;
  readonly totals: ReportRow;
  readonly meta: Readonly<Record<string, unknown>>;
}

export interface ListAnswer {
  readonly data: readonly { readonly id: number }[];
  readonly meta: { readonly page: { readonly total: number; readonly hasMore: boolean } };
}

const ROOT = new URL('../..', import.meta.url);
const START_MS = 120_000;

/** Starts the service on an empty data folder, without the demo network. */
export async function startRealStage(): Promise<RealStage> {
  const folder = mkdtempSync(join(tmpdir(), 'endcap-real-'));
  const dataDir = join(folder, 'data');
  openDataDir(dataDir, 'dynalite').writeDemo({ state: 'declined' });
  const env = { ...process.env, DATA_DIR: dataDir, PORT: '0' };
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
    const written = () => readFileSync(join(folder, 'stage.log'), 'utf8');
    return { url, log: written, ...commandsOn(env), ...requestsTo(url), close };
  } catch (error) {
    const said = readFileSync(join(folder, 'stage.log'), 'utf8');
    await close();
    throw new Error(`the stage did not start: ${said}`, { cause: error });
  }
}

function commandsOn(env: NodeJS.ProcessEnv): Pick<RealStage, 'load' | 'killLoad' | 'createKey' | 'createRevokedKey'> {
  const run = async (...command: string[]) => {
    const { stdout } = await promisify(execFile)('npm', ['run', '--silent', ...command], { cwd: ROOT, env });
    return stdout;
  };
  return {
    load: (folder) => run('load', '--', folder),
    killLoad: async (folder, afterMs) => {
      const load = spawn(process.execPath, ['infra/cli/load.ts', folder], { cwd: ROOT, env, stdio: 'ignore' });
      const ended = once(load, 'exit');
      await Promise.race([ended, sleep(afterMs)]);
      const killed = load.kill('SIGKILL');
      await ended;
      return killed;
    },
    createKey: async (userId) => (await run('key', '--', 'create', '--user', userId)).split('\n')[0] ?? '',
    createRevokedKey: async (userId) => {
      const said = await run('key', '--', 'create', '--user', userId);
      const [, key = '', id = ''] = /^(\S+)\n[\s\S]*\n(\S+) {2}created/.exec(said) ?? [];
      await run('key', '--', 'revoke', '--user', userId, '--id', id);
      return key;
    },
  };
}

function requestsTo(base: string): Pick<RealStage, 'report' | 'list'> {
  const call = async <T>(key: string, path: string, init: RequestInit = {}): Promise<T> => {
    const headers = { 'Ocp-Apim-Subscription-Key': key, 'content-type': 'application/json' };
    const response = await fetch(base + path, { ...init, headers });
    if (response.status !== 200) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return response.json() as Promise<T>; // what comes is compared member by member by the tests
  };
  return {
    report: (key, experience, request) =>
      call(key, `/report/${experience}`, { method: 'POST', body: JSON.stringify(request) }),
    list: (key, path) => call(key, path),
  };
}

async function waitForStage(dataDir: string, lives: () => boolean): Promise<string> {
  const deadline = Date.now() + START_MS;
  while (lives() && Date.now() < deadline) {
    const stage = await findRunningStage(dataDir);
    if (stage !== undefined) return stage.url;
    await sleep(100);
  }
  throw new Error(lives() ? `nothing answers after ${START_MS / 1000} s` : 'the process has ended');
}
