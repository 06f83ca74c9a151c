import { beforeAll, expect } from 'vitest';
import type { LoadReport } from '../../../shared/load/check/load-report.ts';
import { type LoadOptions, loadFolder } from '../../../shared/load/load-folder.ts';
import { formatProblem } from '../../../shared/load/schema/problems.ts';
import { type CommitState, readCommit } from '../../../shared/store/commit/commits.ts';
import { DATA_SETTINGS_KEY } from '../../../shared/store/table/item-keys.ts';
import { useTable } from '../../support/use-engine.ts';
import { userIdKey } from '../../support/user-id-key.ts';
import { makeFolder } from './folder.ts';
import { loadRows } from './load-rows.ts';
import { NETWORK } from './network-rows.ts';

export type Files = Readonly<Record<string, string | Uint8Array>>;

export interface Rejections {
  /** Loads a folder of these files. */
  load(files: Files, options?: Partial<LoadOptions>): Promise<LoadReport>;
  /** Expects that nothing was loaded after the test network. */
  expectUnchanged(): Promise<void>;
  /** Expects that the folder is rejected for exactly these problems, and that nothing of it is loaded. */
  expectProblems(files: Files, problems: readonly unknown[]): Promise<void>;
}

/** Creates a table with the test network for this test file. Call it once per file, at the top level. */
export function useRejections(): Rejections {
  const made = useTable();
  let before: CommitState;

  beforeAll(async () => {
    await loadRows(NETWORK, made.table);
    await made.table.put({ ...DATA_SETTINGS_KEY }); // without settings, so that loads of other zones are checked
    before = await readCommit(made.table);
  });

  async function load(files: Files, options: Partial<LoadOptions> = {}): Promise<LoadReport> {
    using folder = makeFolder();
    for (const [name, content] of Object.entries(files)) folder.write(name, content);
    return await loadFolder({ userIdKey, folder: folder.path, table: made.table, timeZone: 'UTC', ...options });
  }

  const expectUnchanged = async () => expect(await readCommit(made.table)).toEqual(before);

  async function expectProblems(files: Files, problems: readonly unknown[]): Promise<void> {
    const report = await load(files);
    expect({ ...report, problems: report.problems.map(formatProblem) }).toEqual({
      outcome: 'rejected',
      problems,
      problemCount: problems.length,
      warnings: [],
      listings: [],
      facts: [],
      changes: [],
    });
    await expectUnchanged();
  }

  return { load, expectUnchanged, expectProblems };
}
