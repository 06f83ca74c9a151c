import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';

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
