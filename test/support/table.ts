import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { CreateTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, ScanCommand } from '@aws-sdk/lib-dynamodb';
import type { Table } from '../../shared/store/client.ts';
import { openTable } from '../../shared/store/client.ts';
import type { Item } from '../../shared/store/item.ts';

/** The embedded DynamoDBs that the table tests run on. `dynoxide` exists for linux-x64 only. */
export type Engine = 'dynalite' | 'dynoxide';

export const ENGINES: readonly Engine[] =
  process.platform === 'linux' && process.arch === 'x64' ? ['dynalite', 'dynoxide'] : ['dynalite'];

/** A DynamoDB of the test's own, in memory, on a free loopback port. */
export interface TestEngine {
  readonly endpoint: string;
  /** Makes one more empty table. */
  createTable(): Promise<TestTable>;
  stop(): Promise<void>;
}

export interface TestTable {
  readonly table: Table;
  readonly tableName: string;
  readonly endpoint: string;
  /** Everything in the table, in the order of the keys. */
  content(): Promise<Item[]>;
}

/** For whoever makes a client of the engine: the embedded engines take any credentials, but the SDK wants some. */
export function useLocalCredentials(): void {
  process.env.AWS_ACCESS_KEY_ID ??= 'local';
  process.env.AWS_SECRET_ACCESS_KEY ??= 'local';
  process.env.AWS_REGION ??= 'us-east-1';
}

/** Starts the engine; `stop` it when done. */
export async function startEngine(engine: Engine = 'dynalite'): Promise<TestEngine> {
  useLocalCredentials();
  const { endpoint, stop } = engine === 'dynalite' ? await startDynalite() : await startDynoxide();
  const client = new DynamoDBClient({ endpoint, region: 'us-east-1' });
  let tables = 0;
  return {
    endpoint,
    createTable: async () => {
      tables += 1;
      const tableName = `endcap-${tables}`;
      await createTable(client, tableName);
      const table = openTable({ tableName, endpoint, region: 'us-east-1', requestMs: 30_000 });
      return { table, tableName, endpoint, content: () => readEverything(client, tableName) };
    },
    stop: async () => {
      client.destroy();
      await stop();
    },
  };
}

async function startDynalite(): Promise<{ endpoint: string; stop: () => Promise<void> }> {
  const dynalite: unknown = createRequire(import.meta.url)('dynalite');
  if (typeof dynalite !== 'function') throw new Error('dynalite is not what it was');
  const server = dynalite({ createTableMs: 0, deleteTableMs: 0, updateTableMs: 0 });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port }: AddressInfo = server.address();
  return {
    endpoint: `http://127.0.0.1:${port}`,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function startDynoxide(): Promise<{ endpoint: string; stop: () => Promise<void> }> {
  const binary = createRequire(import.meta.url).resolve('@dynoxide/linux-x64/dynoxide');
  const port = await freePort();
  const child = spawn(binary, ['serve', '--host', '127.0.0.1', '--port', String(port)], { stdio: 'ignore' });
  const endpoint = `http://127.0.0.1:${port}`;
  await untilItAnswers(endpoint);
  return {
    endpoint,
    stop: async () => {
      child.kill('SIGKILL');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    },
  };
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  await once(probe, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port was given');
  return address.port;
}

async function untilItAnswers(endpoint: string): Promise<void> {
  for (let tries = 0; tries < 200; tries += 1) {
    const answered = await fetch(endpoint).then(
      () => true,
      () => false,
    );
    if (answered) return;
    await sleep(25);
  }
  throw new Error(`nothing answers at ${endpoint}`);
}

async function createTable(client: DynamoDBClient, tableName: string): Promise<void> {
  await client.send(
    new CreateTableCommand({
      TableName: tableName,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [
        { AttributeName: 'pk', AttributeType: 'S' },
        { AttributeName: 'sk', AttributeType: 'S' },
      ],
      KeySchema: [
        { AttributeName: 'pk', KeyType: 'HASH' },
        { AttributeName: 'sk', KeyType: 'RANGE' },
      ],
    }),
  );
  await sleep(20); // the engines make it active in the background
}

async function readEverything(client: DynamoDBClient, tableName: string): Promise<Item[]> {
  const documents = DynamoDBDocumentClient.from(client);
  const items: Item[] = [];
  let start: Record<string, unknown> | undefined;
  do {
    const command = { TableName: tableName, ConsistentRead: true };
    const answer = await documents.send(
      new ScanCommand(start === undefined ? command : { ...command, ExclusiveStartKey: start }),
    );
    for (const raw of answer.Items ?? []) items.push({ ...raw, pk: String(raw.pk), sk: String(raw.sk) });
    start = answer.LastEvaluatedKey;
  } while (start !== undefined);
  const order = (item: Item) => `${item.pk}\0${item.sk}`;
  return items.sort((a, b) => (order(a) < order(b) ? -1 : 1));
}
