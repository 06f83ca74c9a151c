import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { expect, test } from 'vitest';
import { openDataDir } from '../../../../infra/local/data-dir.ts';
import { DAY_MS } from '../../../../shared/lib/calendar.ts';
import { makeFolder } from '../../../load/support/folder.ts';
import { loadRows } from '../../../load/support/load-rows.ts';
import { codeBlocksOf } from '../../../rules/pages.ts';
import { ROOT } from '../../../rules/source-files.ts';
import { startTestStage } from '../../../support/stage.ts';
import { USER_ID_KEY } from '../../../support/user-id-key.ts';
import { CLI, runCommand } from '../run-command.ts';

const ANA = {
  id: 7,
  firstName: 'Ana',
  lastName: 'Ruiz',
  email: 'ana@example.com',
  contactType: 'CPG',
  accountIds: [1],
};
const BO = {
  id: 8,
  firstName: 'Bo',
  lastName: 'Dropwell',
  email: 'bo@example.com',
  contactType: 'CPG',
  accountIds: [1],
};
const NETWORK = {
  accounts: [{ id: 1, name: 'Alpha' }],
  users: [
    { userId: 'ana', name: 'Ana Ruiz', userType: 'CPG', accountIds: [1] },
    { userId: 'bo', name: 'Bo Dropwell', userType: 'CPG', accountIds: [1] },
  ],
  contacts: [ANA, BO],
};
/** The commands of the runbook. */
const [BLOCK = ''] = codeBlocksOf('infra/cli/operate/README.md')
  .map(({ text }) => text)
  .filter((text) => text.includes('contacts.patch.csv'));

test('the runbook “A person asks to be deleted” removes the person from responses at once, and from the table with the first load after 31 days', async () => {
  const stage = await startTestStage();
  using dataDir = makeFolder();
  const place = { pid: process.pid, url: await stage.url(), dynamodb: stage.endpoint, tableName: stage.table.name };
  openDataDir(dataDir.path).writeRunning({ ...place, timeZone: 'UTC' });
  dataDir.write('user-ids.key', Buffer.from(USER_ID_KEY).toString('hex'));
  const environment = { DATA_DIR: dataDir.path };
  const client = DynamoDBDocumentClient.from(new DynamoDBClient({ endpoint: stage.endpoint, region: 'us-east-1' }));
  /** @returns the partitions with this text */
  const partitionsWith = async (text: RegExp) => {
    const { Items = [] } = await client.send(new ScanCommand({ TableName: stage.table.name }));
    const found = Items.filter((item) => text.test(JSON.stringify(item))).map(({ pk }) => String(pk));
    return [...new Set(found.map((pk) => pk.replace(/#.*/, '')))].sort();
  };
  const createKey = async (user: string) => {
    const { stdout } = await runCommand('key', ['create', '--user', user], environment);
    const [, key = '', id = ''] = /^(ecap_\S+)\n[\s\S]*\n(\S+) {2}created/.exec(stdout) ?? [];
    return { key, id };
  };
  const get = async (path: string, { key }: { key: string }) => {
    const headers = { 'ocp-apim-subscription-key': key };
    const { status, text } = await stage.request({ method: 'GET', url: `/v2/metadata/${path}`, headers });
    return { status, hasRuiz: text.includes('Ruiz') };
  };

  expect((await loadRows(NETWORK, stage.table)).outcome).toBe('loaded');
  const [ana, bo] = [await createKey('ana'), await createKey('bo')];
  for (const user of [ana, bo])
    expect(await get('contacts?account_id=1', user)).toEqual({ status: 200, hasRuiz: true });

  const script = BLOCK.replace('KEY_ID', ana.id)
    .replaceAll(/npm run (\w+) +--/g, (_, name) => `'${process.execPath}' '${join(CLI, `${name}.ts`)}'`)
    .replaceAll(/ --table TABLE| *#.*/g, '');
  const env = { ...process.env, ...environment, ROOT };
  const { stdout } = await promisify(execFile)('sh', ['-e', '-c', script], { cwd: dataDir.path, env });
  expect(stdout).toContain('contacts: 1 row, written (0 added, 0 replaced, 1 removed)');
  expect(stdout).toContain('users: 1 row, written (0 added, 0 replaced, 1 removed)');

  expect(await get('accounts', ana)).toEqual({ status: 401, hasRuiz: false });
  expect((await get('accounts', bo)).status).toBe(200); // advances the view
  expect(await get('contacts?account_id=1', bo)).toEqual({ status: 200, hasRuiz: false });
  expect(await partitionsWith(/Ruiz/)).not.toEqual([]);
  const nextLoad = { ...NETWORK, users: NETWORK.users.slice(1), contacts: [BO], accounts: [{ id: 1, name: 'Beta' }] };
  const after = (days: number) => loadRows(nextLoad, stage.table, { clock: () => Date.now() + days * DAY_MS });
  expect((await after(30)).outcome).toBe('loaded');
  expect(await partitionsWith(/ana@/)).toEqual(['LISTING']);
  await after(32);
  expect(await partitionsWith(/Ruiz/)).toEqual([]);
  expect(await partitionsWith(/ana@/)).toEqual([]);
  expect(await partitionsWith(/\bana\b/)).toEqual(['AUDIT', 'KEY', 'KEYS', 'VIEW']); // her user id, as the runbook says
  await stage.close();
});
