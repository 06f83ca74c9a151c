import * as z from 'zod';
import { useLocalCredentials } from '../../../infra/local/emulator/services/local-credentials.ts';
import { openTable, type Table } from '../../../shared/store/table/table.ts';
import { nextMessage, startProcess } from './child-process.ts';

export interface BenchTable {
  readonly table: Table;
  readonly tableName: string;
  readonly endpoint: string;
}

/** The embedded table engine, in memory and in its own process, so that its processor time is not measured. */
export interface BenchEngine extends Disposable {
  /** Creates another empty table. */
  createTable(): Promise<BenchTable>;
}

const Created = z.object({ tableName: z.string(), endpoint: z.string() });

export function startBenchEngine(): BenchEngine {
  useLocalCredentials();
  const child = startProcess(new URL('./engine-process.ts', import.meta.url));
  return {
    createTable: async () => {
      const created = nextMessage(child);
      child.send('createTable');
      const { tableName, endpoint } = Created.parse(await created);
      const table = openTable({ tableName, endpoint, region: 'us-east-1', requestMs: 30_000 });
      return { table, tableName, endpoint };
    },
    [Symbol.dispose]: () => child.kill(),
  };
}
