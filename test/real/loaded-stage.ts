import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { type ListResponse, type RealStage, type ReportResponse, startRealStage } from './real-stage.ts';

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
