import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { DeleteTableCommand, DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { createTable } from '../../infra/local/emulator/services/create-table.ts';
import { useLocalCredentials } from '../../infra/local/emulator/services/local-credentials.ts';
import { openEngine } from '../../infra/local/emulator/services/table-engine.ts';
import type { Item } from '../../shared/store/table/item.ts';
import { openTable, type Table } from '../../shared/store/table/table.ts';

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
  /** @returns all items, in the order of their keys; the identity of the table, which is random, is replaced */
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
  return items
    .sort((a, b) => (order(a) < order(b) ? -1 : 1))
    .map((item) => (item.identity === undefined ? item : { ...item, identity: 'of this table' }));
}

/**
 * Starts dynoxide, a DynamoDB emulator that is closer to DynamoDB than dynalite: a separate program, for linux-x64 only. The data is in memory. Its shell ends it when stdin
 * is closed, which also happens if this process is killed. (`exec 3<&0`, because a shell connects the stdin of background commands to /dev/null.)
 */
export async function openDynoxide(): Promise<{ readonly url: string; close(): Promise<void> }> {
  const program = join(dirname(fileURLToPath(import.meta.resolve('@dynoxide/linux-x64/package.json'))), 'dynoxide');
  const port = await freePort();
  const run = 'exec 3<&0; "$@" & engine=$!; { cat <&3 > /dev/null; kill $engine; } & wait $engine';
  const command = ['-c', run, 'sh', program, '--host', '127.0.0.1', '--port', String(port)];
  const child = spawn('sh', command, { stdio: ['pipe', 'ignore', 'ignore'] });
  const ended = once(child, 'exit');
  const url = `http://127.0.0.1:${port}`;
  while (!(await isListening(url))) {
    if (child.exitCode !== null) throw new Error('dynoxide ended');
    await sleep(25);
  }
  const close = async () => {
    child.stdin?.end();
    await ended;
  };
  return { url, close };
}

async function isListening(url: string): Promise<boolean> {
  const client = new DynamoDBClient({ endpoint: url, region: 'us-east-1' });
  return client
    .send(new ListTablesCommand())
    .then(
      () => true,
      () => false,
    )
    .finally(() => client.destroy());
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = Object(server.address());
  server.close();
  return port;
}
