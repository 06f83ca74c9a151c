import { beforeAll, expect } from 'vitest';
import { loadFolder } from '../../../shared/load/load-folder.ts';
import type { LoadReport } from '../../../shared/load/load-report.ts';
import { formatProblem } from '../../../shared/load/schema/problems.ts';
import { useTable } from '../../support/use-engine.ts';
import { folderOf, makeFolder } from '../folder.ts';
import { NETWORK } from '../network-rows.ts';
import { readWorld, type World } from '../read-world.ts';

/** The files of a folder as they stand, by name. */
export type Files = Readonly<Record<string, string | Uint8Array>>;

export interface Rejections {
  /** Loads a folder into a table that holds NETWORK. */
  load(files: Files, problems?: number): Promise<LoadReport>;
  /** Expects the folder to be rejected for exactly these problems, and nothing of it to be loaded. */
  expectProblems(files: Files, problems: readonly string[]): Promise<void>;
}

export function useRejections(): Rejections {
  const made = useTable();
  let before: World;
  beforeAll(async () => {
    using folder = folderOf(NETWORK);
    await loadFolder({ folder: folder.path, table: made.table, timeZone: 'UTC' });
    before = await readWorld(made.table);
  });
  const load = async (files: Files, problems = 100) => {
    using folder = makeFolder();
    for (const [name, content] of Object.entries(files)) folder.write(name, content);
    return await loadFolder({ folder: folder.path, table: made.table, timeZone: 'UTC', limits: { problems } });
  };
  return {
    load,
    expectProblems: async (files, problems) => {
      const report = await load(files);
      expect({ ...report, problems: report.problems.map(formatProblem) }).toEqual({
        outcome: 'rejected',
        problems,
        problemCount: problems.length,
        warnings: [],
        listings: [],
        facts: [],
        emptied: [],
      });
      expect(await readWorld(made.table)).toEqual(before);
    },
  };
}

/** @returns a file of one JSON text per row */
export function json(...rows: unknown[]): string {
  return rows.map((row) => `${typeof row === 'string' ? row : JSON.stringify(row)}\n`).join('');
}
