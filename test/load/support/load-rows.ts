import { expect } from 'vitest';
import type { LoadReport } from '../../../shared/load/check/load-report.ts';
import { type LoadOptions, loadFolder } from '../../../shared/load/load-folder.ts';
import { formatProblem } from '../../../shared/load/schema/problems.ts';
import type { Table } from '../../../shared/store/table/table.ts';
import { dieAtCall, expireLease } from '../../store/sample-load.ts';
import type { TestEngine } from '../../support/table.ts';
import { userIdKey } from '../../support/user-id-key.ts';
import { folderOf } from './folder.ts';
import type { FolderRows } from './network-rows.ts';
import { readStoredNetwork } from './read-stored-network.ts';

/** Loads the rows as NDJSON files. */
export async function loadRows(
  rows: FolderRows,
  table: Table,
  options: Partial<LoadOptions> = {},
): Promise<LoadReport> {
  using folder = folderOf(rows);
  return await loadFolder({ userIdKey, folder: folder.path, table, timeZone: 'UTC', ...options });
}

/** Loads the rows as NDJSON files. @returns the outcome, and after it the problems */
export async function outcomeOf(rows: FolderRows, table: Table, options: Partial<LoadOptions> = {}): Promise<string[]> {
  const { outcome, problems } = await loadRows(rows, table, options);
  return [outcome, ...problems.map(formatProblem)];
}

/** @returns a new table into which the rows are loaded */
export async function tableWith(engine: Pick<TestEngine, 'createTable'>, rows: FolderRows): Promise<Table> {
  const { table } = await engine.createTable();
  expect(await outcomeOf(rows, table)).toEqual(['loaded']);
  return table;
}

/**
 * Kills a load at the third call of the table, then the next load `step` calls later, until one is not killed. Expects that killed loads leave the
 * stored data as they were.
 * @returns how many loads were killed
 */
export async function killAtCalls(
  table: Table,
  step: number,
  load: (dying: Table) => Promise<LoadReport>,
): Promise<number> {
  const before = await readStoredNetwork(table);
  let killed = 0;
  for (let calls = 3; calls < 1000; calls += step) {
    const outcome = await load(dieAtCall(table, calls)).then(
      (report) => report.outcome,
      (error: Error) => error.message,
    );
    if (outcome === 'loaded') break;
    expect(outcome).toContain('killed');
    await expireLease(table);
    expect(await readStoredNetwork(table)).toEqual(before);
    killed++;
  }
  return killed;
}
