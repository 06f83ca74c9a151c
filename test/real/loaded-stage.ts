import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { type ListAnswer, type RealStage, type ReportAnswer, startRealStage } from './real-stage.ts';

/** A stage that a folder was loaded into, for a user `analyst` of it with a key. */
export interface LoadedStage {
  report(experience: string, request: object): Promise<ReportAnswer>;
  list(path: string): Promise<ListAnswer>;
  /** Loads the folder once more. @returns what the command prints */
  loadAgain(): Promise<string>;
}

/** A stage for the tests of the file that calls this. @param writeFolder writes into the folder that is loaded */
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
