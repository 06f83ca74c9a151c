import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { dayNumber, formatDay } from '../../../shared/lib/calendar.ts';
import { THROUGH_PROXY } from '../../../shared/lib/sdk/proxy.ts';
import { ROUTES } from '../../config/routes.ts';
import { writeDemoFiles } from '../../local/load-demo.ts';
import { useProxyFor } from '../environment.ts';
import { writeLine } from '../run-cli.ts';
import { checkAlarms, checkCalls, LOG_SECONDS, readLogs } from './check-account.ts';
import { request, requestRoutes } from './contract-requests.ts';
import { parseLines, timesTable, usageOf } from './measure-times.ts';
import { deleteStack, readStack, runCommand } from './own-stack.ts';
import { restoreTable, rotateSigningKey, watchRollback } from './play-runbooks.ts';
import { PRICES_OF, priceUsage } from './price-usage.ts';
import { NotShown, onEmulator, poll, type Steps } from './steps.ts';
import type { PageTable } from './write-page.ts';

const WARM_REQUESTS = 20;
const IDLE_MS = 15 * 60_000;
/** A new bucket sends no events for about so long. */
const BUCKET_MS = 5 * 60_000;
/** Fails in every request, so that its deployment must be rolled back. */
const FAILING_APP = 'npm exec --no -- node --import ./infra/preload.mjs infra/cli/operate/failing-app.ts';
const USER = ['--user', 'demo-agency'];

/** Says what will be created where. */
export async function announce(name: string): Promise<void> {
  const client = new STSClient({ requestHandler: THROUGH_PROXY });
  const { Account } = await client.send(new GetCallerIdentityCommand({}));
  writeLine(
    process.stderr,
    `deploys the stack ${name} into account ${Account}, region ${await client.config.region()}: about 85 minutes, less than 1 USD (${PRICES_OF}). Files of the CDK in its bootstrap bucket, and API Gateway’s role for logs, stay.`,
  );
}

interface ProofOptions {
  readonly name: string;
  /** What goes into the page; `settings` are those given, and become those deployed. */
  readonly proof: { readonly tables: Map<string, PageTable>; settings: Record<string, string> };
  readonly steps: Steps;
  readonly signal: AbortSignal;
  readonly skipIdle: boolean;
}

export async function proveStack({ name, proof, steps, signal, skipIdle }: ProofOptions): Promise<void> {
  const since = Date.now();
  const folder = mkdtempSync(join(tmpdir(), 'endcap-prove-'));
  using _ = { [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) };
  const own = { stackName: name, removalPolicy: 'destroy' };
  const runCdk = (command: string, settings: Readonly<Record<string, string>>, ...args: string[]) => {
    const context = Object.entries(settings).flatMap(([setting, value]) => ['-c', `${setting}=${value}`]);
    return runCommand({ signal }, `npx cdk ${command}`, '--output', join(folder, 'cdk.out'), ...context, ...args);
  };
  /** Deploys the stack with settings besides those that it has. */
  const deploy = async (added: Readonly<Record<string, string>>, ...args: string[]) => {
    const settings = { ...proof.settings, ...added };
    await runCdk('deploy --require-approval never', settings, ...args);
    proof.settings = settings;
    return `${(await readStack(name)).status}`;
  };
  const writeDemo = () => {
    const yesterday = dayNumber(new Date().toISOString().slice(0, 10)) - 1;
    return writeDemoFiles(join(folder, 'demo'), formatDay(yesterday));
  };
  if (!(await steps.run('deployment', 'npx cdk deploy succeeds', () => deploy(own)))) return;
  const stack = await readStack(name);
  const { url, outputs } = stack;
  const { TableName: table = '', BucketName: bucket = '' } = outputs;
  useProxyFor(url);

  const isLoaded = await steps.run(
    'load',
    'the stack loads the demo network through the bucket, and users from this machine',
    async () => {
      using files = await writeDemo();
      if (!onEmulator()) await sleep(BUCKET_MS, undefined, { signal });
      const users = join(folder, 'users');
      mkdirSync(users);
      for (const name of readdirSync(files.folder))
        if (name.startsWith('users.')) renameSync(join(files.folder, name), join(users, name));
      const printed = await runCommand({ signal }, 'npm run --silent load --', files.folder, '--bucket', bucket);
      await runCommand({ signal }, 'npm run --silent load --', users, '--table', table);
      return printed.trim().split('\n').at(-1) ?? '';
    },
  );
  if (!isLoaded) return;
  const loadedAt = Date.now();

  let target = { url, key: '' };
  const runKey = async (tableName: string, ...command: string[]) => {
    const output = await runCommand({ signal }, 'npm run --silent key --', ...command, ...USER, '--table', tableName);
    const [, key = '', id = ''] = /^(ecap_\S+)\n[\s\S]*\n(\S+) {2}created/.exec(output) ?? [];
    return { key, id };
  };
  const makeKey = async (...command: string[]) => {
    const { key, id } = await runKey(table, ...command);
    target = { url, key };
    return id;
  };
  /** As the runbook: imports the table into a stack of its own, and deploys everything else around it. */
  const useRestored = async (tableName: string, userIdKey: string, made: AsyncDisposableStack) => {
    const stackName = `${name}-Restored`;
    const settings = { ...proof.settings, stackName, userIdKey, apiGatewayAccountRole: 'existing' };
    made.defer(async () => {
      const exists = await readStack(stackName).then(Boolean, () => false);
      if (exists) await deleteStack(stackName);
    });
    await runCdk('import', settings, '--resource-mapping-inline', `{"TableCD117FA1":{"TableName":"${tableName}"}}`);
    await runCdk('deploy --require-approval never', settings);
    const second = await readStack(stackName);
    if (second.outputs.TableName !== tableName) throw new Error(`its table is ${second.outputs.TableName}`);
    const { key } = await runKey(tableName, 'create');
    const report = '/report/pla?by=ad_group_id&metrics=cost&start=today-27d&end=today';
    const { totalCount } = (await request({ url: second.url, key }, report)).body;
    if (!totalCount) throw new Error('the report has no rows');
    using files = await writeDemo();
    await runCommand({ signal }, 'npm run --silent load --', files.folder, '--table', tableName); // rejected with another hashing key
    return `the report has ${totalCount} rows, and the demo is loaded again`;
  };
  let keyId = '';
  const create = async () => {
    keyId = await makeKey('create');
    return keyId;
  };
  if (!(await steps.run('API key', 'created', create))) return;
  const measure = (heading: string, count: number, before: () => Promise<void>) =>
    steps.run(
      heading,
      `${count} requests to each of ${ROUTES.length} routes; their lines are in the logs`,
      async () => {
        await before();
        const started = Date.now();
        const outside = await requestRoutes(target, count, signal);
        const readLines = async () => parseLines(await readLogs(outputs, started));
        const isComplete = async () => [await readLines()].find((lines) => lines.length >= count * ROUTES.length);
        const lines = await poll(LOG_SECONDS, isComplete, signal);
        proof.tables.set(`${heading}, in ms`, timesTable(outside, lines ?? (await readLines())));
        if (lines === undefined) throw new Error('lines of some requests are not in the logs');
        return `${lines.length} lines`;
      },
    );
  await measure('times', 1 + WARM_REQUESTS, async () => undefined);
  await checkCalls(steps, stack, target, since, signal);
  const restored = { SourceTableName: table, TableName: `${table}-restored` };
  {
    await using made = new AsyncDisposableStack();
    const restore = () => restoreTable(restored, loadedAt, made, signal);
    const isRestored = await steps.run('restore', 'a new table has the same commit', restore);
    const around = 'a stack around the new table sends a report, and a load has the same hashing key';
    await steps.run('restored stack', around, async () => {
      if (!isRestored) throw new NotShown('there is no restored table');
      return useRestored(restored.TableName, outputs.UserIdKeyArn ?? '', made);
    });
  }
  // the clocks of a frozen instance may stand still, so that it takes an old commit for a recent one
  await steps.run('a load after 15 idle minutes', 'the next request shows it', async () => {
    const readFirst = async () => Object([(await request(target, '/metadata/placements')).body.data].flat()[0]);
    const { id, name: before } = await readFirst();
    if (!skipIdle) await sleep(IDLE_MS, undefined, { signal });
    const patch = join(folder, 'patch');
    mkdirSync(patch);
    writeFileSync(join(patch, 'placements.patch.csv'), `id,name\n${id},Renamed\n`);
    await runCommand({ signal }, 'npm run --silent load --', patch, '--bucket', bucket);
    const { name: after } = await readFirst();
    if (after !== 'Renamed') throw new Error(`the placement ${id} is still ${after}`);
    return `${before} is ${after}${skipIdle ? ', without idle minutes' : ''}`;
  });
  await measure('times after 15 idle minutes', 1 + WARM_REQUESTS / 2, async () => {
    if (skipIdle) throw new NotShown('--skip-idle');
  });

  await steps.run('rotation of an API key', 'both work; the old one no longer once it is revoked', async () => {
    const old = target;
    await makeKey('rotate', '--id', keyId);
    for (const each of [old, target]) await request(each, '/metadata/fields');
    await runCommand({ signal }, 'npm run --silent key --', 'revoke', ...USER, '--id', keyId, '--table', table);
    const isRejected = () => request(old, '/metadata/fields').then(() => undefined, String);
    const error = await poll(30, isRejected, signal);
    if (!error?.includes('KEY_INVALID')) throw new Error(error ?? 'the revoked key still works');
    return 'the revoked key gets 401';
  });
  // as the runbook: the new key is published before it signs
  const rotate = async () => {
    for (const signingKeys of ['{"sign":1,"accept":[2]}', '{"sign":2,"accept":[1]}']) await deploy({ signingKeys });
  };
  await steps.run('rotation of the signing key', 'tokens of both are accepted', () => rotateSigningKey(target, rotate));
  const addCanary = () => deploy({ deployment: 'canary', alarms: '{}' });
  const hasCanary = await steps.run('canary', 'canary deployments and all alarms are deployed', addCanary);
  await steps.run('alarms', 'none in the state ALARM', async () => checkAlarms(await readStack(name)));
  const failing = 'its deployment is rolled back before it gets requests';
  await steps.run('a failing version', failing, async () => {
    if (!hasCanary) throw new NotShown('there are no canary deployments');
    return watchRollback(target, () => deploy({}, '--app', FAILING_APP), signal);
  });
  await steps.run('usage', `priced (${PRICES_OF})`, async () => {
    const usage = { ...usageOf(await readLogs(outputs, since)), hours: (Date.now() - since) / 3_600_000 };
    const priced = priceUsage(usage);
    proof.tables.set('Usage', priced.table);
    return `${priced.usd.toFixed(4)} USD, without storage, restored tables and free tiers`;
  });
}
