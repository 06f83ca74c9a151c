import { afterAll, beforeAll, beforeEach, inject } from 'vitest';
import { type EngineName, startEngine, type TestEngine, type TestTable, tablesIn } from './table.ts';

/** @returns the emulator of the run; of another kind, or in a run without one, a new one. The caller must stop it. */
export async function openRunEngine(name: EngineName = 'dynalite'): Promise<TestEngine> {
  const url = name === 'dynalite' ? inject('engineUrl') : undefined;
  return url === undefined ? startEngine(name) : tablesIn(url);
}

/** Opens an emulator for the tests of the calling suite or file. */
export function useEngine(name?: EngineName): Omit<TestEngine, 'stop'> {
  let engine: TestEngine;
  beforeAll(async () => {
    engine = await openRunEngine(name);
  });
  afterAll(() => engine.stop());
  return {
    get endpoint() {
      return engine.endpoint;
    },
    createTable: () => engine.createTable(),
  };
}

/** @returns one table for all tests of the calling suite or file, available from `beforeAll` on */
export function useTable(name?: EngineName): TestTable {
  return createTableIn(beforeAll, name);
}

/** @returns the empty table of the running test, available from `beforeEach` on */
export function useTablePerTest(name?: EngineName): TestTable {
  return createTableIn(beforeEach, name);
}

function createTableIn(hook: typeof beforeAll | typeof beforeEach, name?: EngineName): TestTable {
  const engine = useEngine(name);
  let made: TestTable;
  hook(async () => {
    made = await engine.createTable();
  });
  return {
    get table() {
      return made.table;
    },
    get tableName() {
      return made.tableName;
    },
    get endpoint() {
      return made.endpoint;
    },
    content: () => made.content(),
  };
}
