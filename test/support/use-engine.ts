import { afterAll, beforeAll, beforeEach } from 'vitest';
import type { EngineName } from '../../infra/emulator/services/table-engine.ts';
import { startEngine, type TestEngine, type TestTable } from './table.ts';

/** An engine that runs as long as the tests of the suite, or of the file, that calls this. */
export function useEngine(name?: EngineName): Omit<TestEngine, 'stop'> {
  let engine: TestEngine;
  beforeAll(async () => {
    engine = await startEngine(name);
  });
  afterAll(() => engine.stop());
  return {
    get endpoint() {
      return engine.endpoint;
    },
    createTable: () => engine.createTable(),
  };
}

/** One table for all tests of the suite or file; its members are there from `beforeAll` on. */
export function useTable(name?: EngineName): TestTable {
  return tableMadeBy(beforeAll, name);
}

/** A table of its own, empty, for each test; its members are those of the running test's, from `beforeEach` on. */
export function useTablePerTest(name?: EngineName): TestTable {
  return tableMadeBy(beforeEach, name);
}

function tableMadeBy(hook: typeof beforeAll | typeof beforeEach, name?: EngineName): TestTable {
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
