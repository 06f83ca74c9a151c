import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findRunningStage, openDataDir, type RunningStage } from '../../../infra/local/data-dir.ts';
import { LOCAL_REGION, useLocalCredentials } from '../../../infra/local/emulator/services/local-credentials.ts';
import { openTable, type Table } from '../../../shared/store/table/table.ts';
import { type RunningLoad, startLoad } from '../../support/running-load.ts';
import { copyOfDemo, DEMO_END } from '../../support/stage.ts';

const ROOT = new URL('../../..', import.meta.url);
/** A busy machine may take this long to start the service. */
const START_MS = 180_000;

/** The service and its loader in processes of their own, on one data folder; each may be killed at any moment. */
export interface RestartableStage {
  /** Starts the service. @returns its process id and addresses */
  start(): Promise<RunningStage>;
  /** Kills the service with SIGKILL. */
  kill(): Promise<void>;
  /** Starts `npm run load` on the folder. */
  load(folder: string): RunningLoad;
  /** @returns the table of the running service */
  table(): Promise<Table>;
  close(): Promise<void>;
}

/** @param demo whether the table holds the demo network; otherwise it is empty */
export async function openRestartableStage({ demo }: { readonly demo: boolean }): Promise<RestartableStage> {
  const folder = demo ? await copyOfDemo() : mkdtempSync(join(tmpdir(), 'endcap-hostile-'));
  const dataDir = demo ? folder : join(folder, 'data');
  openDataDir(dataDir).writeDemo(demo ? { state: 'loaded', end: DEMO_END } : { state: 'declined' });
  const env = { ...process.env, DATA_DIR: dataDir, PORT: '0' };
  const logFile = join(folder, 'stage.log');
  let server: ChildProcess | undefined;
  const kill = async () => {
    if (server === undefined || server.exitCode !== null) return;
    const exited = once(server, 'exit');
    server.kill('SIGKILL');
    await exited;
    server = undefined;
  };
  const running = async () => {
    const stage = await findRunningStage(dataDir);
    if (stage === undefined) throw new Error(`the stage does not run: ${readFileSync(logFile, 'utf8')}`);
    return stage;
  };
  return {
    kill,
    start: async () => {
      const log = openSync(logFile, 'w');
      const child = spawn(process.execPath, ['infra/cli/start.ts'], { cwd: ROOT, env, stdio: ['ignore', log, log] });
      server = child;
      closeSync(log);
      const deadline = Date.now() + START_MS;
      // the data folder still has the file of a killed stage, with the id of that process
      while ((await findRunningStage(dataDir))?.pid !== child.pid) {
        if (child.exitCode !== null || Date.now() > deadline) throw new Error(readFileSync(logFile, 'utf8'));
        await sleep(100);
      }
      return running();
    },
    load: (files) => startLoad(files, env),
    table: async () => {
      useLocalCredentials();
      const { dynamodb, tableName } = await running();
      return openTable({ tableName, endpoint: dynamodb, region: LOCAL_REGION, requestMs: 60_000 });
    },
    close: async () => {
      await kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
