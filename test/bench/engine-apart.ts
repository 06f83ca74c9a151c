import * as z from 'zod';
import { openTable, type Table } from '../../shared/store/table/client.ts';
import { useLocalCredentials } from '../support/table.ts';
import { nextMessage, startApart } from './run-apart.ts';

export interface ApartTable {
  readonly table: Table;
  readonly tableName: string;
  readonly endpoint: string;
}

/** The embedded engine, in memory, in a process of its own, so that its processor time is not ours. */
export interface ApartEngine extends Disposable {
  /** Makes one more empty table. */
  createTable(): Promise<ApartTable>;
}

const Made = z.object({ tableName: z.string(), endpoint: z.string() });

export function startEngineApart(): ApartEngine {
  useLocalCredentials();
  const child = startApart('engine-process.ts');
  return {
    createTable: async () => {
      const answer = nextMessage(child);
      child.send('createTable');
      const { tableName, endpoint } = Made.parse(await answer);
      const table = openTable({ tableName, endpoint, region: 'us-east-1', requestMs: 30_000 });
      return { table, tableName, endpoint };
    },
    [Symbol.dispose]: () => child.kill(),
  };
}
