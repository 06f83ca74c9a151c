import { randomUUID } from 'node:crypto';
import { DeleteTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { createTable } from '../../infra/local/emulator/services/create-table.ts';
import { useLocalCredentials } from '../../infra/local/emulator/services/local-credentials.ts';
import { openEngine } from '../../infra/local/emulator/services/table-engine.ts';
import type { Item } from '../../shared/store/table/item.ts';
import { openTable, type Table } from '../../shared/store/table/table.ts';
import { openDynoxide } from './dynoxide.ts';

/** `dynalite` is that of the local stage; `dynoxide` exists for linux-x64 only. */
export type EngineName = 'dynalite' | 'dynoxide';

const isDynoxide = process.env.TABLE_ENGINE === 'dynoxide' && process.platform === 'linux' && process.arch === 'x64';

/** The DynamoDB emulators that the table tests run on: another one in `npm run test:deep`, if it exists for the platform. */
export const ENGINES: readonly EngineName[] = [isDynoxide ? 'dynoxide' : 'dynalite'];

/** A DynamoDB emulator for one test suite or file, in memory, on a free loopback port. */
export interface TestEngine {
  readonly endpoint: string;
  /** Creates another empty table. */
  createTable(): Promise<TestTable>;
  stop(): Promise<void>;
}

export interface TestTable {
  readonly table: Table;
  readonly tableName: string;
  readonly endpoint: string;
  /** @returns all items, in the order of their keys */
  content(): Promise<Item[]>;
}

/** Starts an emulator, which the caller must stop. */
export async function startEngine(name: EngineName = 'dynalite'): Promise<TestEngine> {
  useLocalCredentials();
  const { url, close } = await (name === 'dynoxide' ? openDynoxide() : openEngine());
  const engine = tablesIn(url);
  return {
    ...engine,
    stop: async () => {
      await engine.stop();
      await close();
    },
  };
}

/** @returns an emulator that runs already; `stop` deletes the tables that were created by this */
export function tablesIn(endpoint: string): TestEngine {
  useLocalCredentials();
  const client = new DynamoDBClient({ endpoint, region: 'us-east-1' });
  const created: string[] = [];
  return {
    endpoint,
    createTable: async () => {
      const tableName = `endcap-${randomUUID()}`;
      await createTable(endpoint, tableName);
      created.push(tableName);
      const table = openTable({ tableName, endpoint, region: 'us-east-1', requestMs: 30_000 });
      return { table, tableName, endpoint, content: () => readEverything(client, tableName) };
    },
    stop: async () => {
      for (const TableName of created) await client.send(new DeleteTableCommand({ TableName }));
      client.destroy();
    },
  };
}

async function readEverything(client: DynamoDBClient, tableName: string): Promise<Item[]> {
  const documents = DynamoDBDocumentClient.from(client);
  const items: Item[] = [];
  let start: Record<string, unknown> | undefined;
  do {
    const command = { TableName: tableName, ConsistentRead: true };
    const response = await documents.send(
      new ScanCommand(start === undefined ? command : { ...command, ExclusiveStartKey: start }),
    );
    for (const raw of response.Items ?? []) items.push({ ...raw, pk: String(raw.pk), sk: String(raw.sk) });
    start = response.LastEvaluatedKey;
  } while (start !== undefined);
  const order = (item: Item) => `${item.pk}\0${item.sk}`;
  return items.sort((a, b) => (order(a) < order(b) ? -1 : 1));
}
