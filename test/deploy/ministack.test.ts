import { randomUUID } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { useLocalCredentials } from '../../infra/local/emulator/services/local-credentials.ts';
import { writeDemoFiles } from '../../infra/local/load-demo.ts';
import { openBucket } from '../../shared/ingest/bucket.ts';
import type { IngestReport } from '../../shared/ingest/report-file.ts';
import { sendFolder } from '../../shared/ingest/send-folder.ts';
import { waitForReport } from '../../shared/ingest/wait-for-report.ts';
import { findBrowser } from '../browser/find-browser.ts';
import { parquetFolderOf } from '../load/support/parquet-folder.ts';
import { type RealStage, startRealStage } from '../real/real-stage.ts';
import { writeLoadFile } from '../real/write-folder.ts';
import { installPythonTools, type PythonTools } from '../support/python-tools.ts';
import { discoverTestData } from './black-box/discover.ts';
import { largePages } from './black-box/large-pages.ts';
import { bodyOf, runSuite, type SuiteOptions, type TestData } from './black-box/suite.ts';
import { SUITES } from './black-box/suites.ts';
import { MINISTACK_DIFFERENCES, remapChallenges } from './differences.ts';
import { deriveUserIdKey, type MiniStack, startMiniStack } from './support/ministack.ts';
import { addressAt, listeningSockets, startForwarder } from './support/sockets.ts';
import { type StackCommands, type StackOutputs, stackCommands } from './support/stack-commands.ts';
import { type KeyName, openTarget, type Target } from './target.ts';

const USERS: readonly (readonly [KeyName, string])[] = [
  ['agency', 'demo-agency'],
  ['cpg', 'demo-cpg'],
  ['other', 'osprey-row'],
];
const DEMO_END = '2026-03-01';

const folder = mkdtempSync(join(tmpdir(), 'endcap-deploy-'));
let tools: PythonTools;
let ministack: MiniStack;
let commands: StackCommands;
let outputs: StackOutputs;
let stage: RealStage;
let deployed: Target;
let local: Target;
let testData: TestData;
/** MiniStack has no logs of firewalls. It has no alarms on expressions, either. */
const DEPLOYED = { waf: 'off', alarms: 'false' };

beforeAll(async () => {
  tools = installPythonTools('deploy/requirements.txt');
  ministack = await startMiniStack(tools, folder);
  commands = stackCommands(ministack.environment, folder);
  await commands.bootstrap();
  outputs = await commands.deploy(DEPLOYED);
  stage = await startRealStage(await deriveUserIdKey(ministack, outputs.UserIdKeyArn));

  const demo = join(folder, 'demo');
  mkdirSync(demo);
  using files = await writeDemoFiles(demo, DEMO_END);
  await commands.load(files.folder, outputs.TableName);
  await stage.load(files.folder);
  deployed = remapChallenges(await openDeployed());
  local = await openLocal();
  testData = await discoverTestData(local, DEMO_END);
});

afterAll(async () => {
  await stage?.close();
  await ministack?.close();
  rmSync(folder, { recursive: true, force: true });
});

async function openDeployed(): Promise<Target> {
  const keysByName = new Map<KeyName, string>();
  for (const [name, user] of USERS) keysByName.set(name, (await commands.createKey(user, outputs.TableName)).key);
  const revoked = await commands.createKey('demo-agency', outputs.TableName);
  keysByName.set('revoked', revoked.key);
  await commands.revokeKey('demo-agency', revoked.id, outputs.TableName);
  return openTarget({
    name: 'deployed',
    ...addressAt(ministack.endpoint, outputs.Url),
    keys: keysByName,
    load: async (path) => void (await commands.load(path, outputs.TableName)),
  });
}

async function openLocal(): Promise<Target> {
  const keysByName = new Map<KeyName, string>();
  for (const [name, user] of USERS) keysByName.set(name, await stage.createKey(user));
  keysByName.set('revoked', await stage.createRevokedKey('demo-agency'));
  return openTarget({
    name: 'local',
    url: stage.url,
    keys: keysByName,
    load: async (path) => void (await stage.load(path)),
  });
}

const suiteOptions: SuiteOptions = {
  targets: () => [deployed, local],
  testData: () => testData,
  differences: MINISTACK_DIFFERENCES,
};

describe('the API that is deployed to MiniStack is equal to the local stage, and', () => {
  for (const suite of [largePages, ...SUITES]) runSuite(suite, suiteOptions);
});

test.runIf(hasBrowser())('a browser shows the explorer with a chart, and no error in its console', async () => {
  await using forwarder = await startForwarder(ministack.endpoint, outputs.Url);
  await checkExplorer(forwarder.url, deployed.keys.get('agency') ?? '');
});

test('the stack loads a folder with CSV and Parquet from the bucket, and loading it again changes nothing', async () => {
  const contact = {
    id: 2,
    firstName: 'Bo',
    lastName: 'Dropwell',
    email: 'bo@example.com',
    contactType: 'AGENCY',
    accountIds: [testData.accountId],
  };
  const day = { daily_date: '2026-03-02', ad_group_id: testData.adGroupId };
  const uploaded = join(folder, 'uploaded');
  writeLoadFile(uploaded, 'contacts.ndjson', [contact]);
  writeLoadFile(uploaded, 'facts/pla/delivery.csv', [
    { ...day, hour: 5, keyword: 'tea', impressions: 70, clicks: 2, cost: '1.25', users: ['u1', 'u2'] },
    { ...day, hour: 6, keyword: 'tea, "green"', impressions: 7, clicks: 0, cost: '0.000001', users: ['u2', 'u3'] },
  ]);
  using parquet = await parquetFolderOf({
    'facts/toa/delivery': [{ ...day, hour: 23, impressions: 11, clicks: 3, cost: '0.5', users: ['u1'] }],
  });
  cpSync(parquet.path, uploaded, { recursive: true });
  expect(await commands.upload(uploaded, outputs.BucketName)).toMatch(
    /contacts: 1 row, written \(\d+ added, .*\)\n[\s\S]*loaded\n$/,
  );

  await deployed.send({ path: '/metadata/accounts', as: 'agency' }); // advances the view, which contacts do not
  const query = [['account_id', String(testData.accountId)]] as const;
  const { text } = await deployed.send({ path: '/metadata/contacts', as: 'agency', query });
  expect(JSON.parse(text).data).toEqual([{ ...contact, active: true }]);
  const body = {
    startDate: day.daily_date,
    endDate: day.daily_date,
    advertiserIds: [],
    dimensions: ['ad_group_id', 'hour', 'keyword'],
    metrics: ['impressions', 'clicks', 'cost'],
    filters: [],
    sort: [],
    pagination: { offset: 0, size: 10 },
  };
  const rowsOf = async (experience: string) =>
    bodyOf(await deployed.send({ path: `/report/${experience}`, method: 'POST', as: 'agency', body })).data;
  const row = { ad_group_id: testData.adGroupId };
  expect(await rowsOf('pla')).toEqual([
    { ...row, hour: 5, keyword: 'tea', impressions: 70, clicks: 2, cost: 1.25 },
    { ...row, hour: 6, keyword: 'tea, "green"', impressions: 7, clicks: 0, cost: 0.000001 },
  ]);
  expect(await rowsOf('toa')).toEqual([{ ...row, hour: 23, keyword: null, impressions: 11, clicks: 3, cost: 0.5 }]);
  expect(await commands.upload(uploaded, outputs.BucketName)).toMatch(/unchanged/);
});

test.runIf(process.platform === 'linux')(
  'the emulator and the local stage accept connections from this machine only',
  () => {
    const sockets = listeningSockets(process.pid);
    const ports = [ministack.endpoint, stage.url].map((url) => Number(new URL(url).port));
    expect(sockets.map(({ port }) => port)).toEqual(expect.arrayContaining(ports));
    expect(sockets.filter(({ isLoopback }) => !isLoopback)).toEqual([]);
  },
);

test('the CDK command line reports no feature flags that are not configured', () => {
  const output = commands.cdkOutput();
  expect(output).toContain(outputs.TableName);
  expect(output).not.toMatch(/feature flags/);
});

test('the stack loads folders that are dropped at the same time one after another', async () => {
  const prefixes = ['one/', 'two/', 'three/', 'four/', 'five/', 'six/'];
  const folders = prefixes.map((prefix, index) => {
    const path = join(folder, 'dropped', prefix);
    const row = { daily_date: `2026-04-0${index + 1}`, hour: 1, ad_group_id: testData.adGroupId, keyword: 'tea' };
    const measures = { impressions: 1, clicks: 0, cost: '1', users: [] };
    writeLoadFile(path, 'facts/pla/delivery.csv', [{ ...row, ...measures }]);
    return { folder: path, prefix };
  });
  // the third is rejected
  writeLoadFile(join(folder, 'dropped', 'three/'), 'facts/pla/activity.csv', [{ daily_date: 'never' }]);
  const { endpoint } = ministack;
  const bucket = outputs.BucketName;
  const reports = await Promise.all(folders.map((dropped) => ingestThroughBucket({ endpoint, bucket, ...dropped })));
  expect(reports.map(({ outcome }) => outcome)).toEqual(
    prefixes.map((prefix) => (prefix === 'three/' ? 'rejected' : 'loaded')),
  );
  const times = reports
    .map(({ startedAt, endedAt }) => [startedAt, endedAt])
    .sort()
    .flat();
  expect(times).toEqual(times.toSorted()); // each began after the one before had ended
});

test('no log contains a key or a token', async () => {
  const lines = [...(await readLogs(ministack)), ...stage.log().split('\n')];
  const requests = lines.filter((line) => line.includes('"message":"request"'));
  expect(requests.length).toBeGreaterThan(100);
  const withoutPrefix = (line: string) => line.replace(/"keyPrefix":"[^"]{9}"/, ''); // of a rejected key
  expect(lines.map(withoutPrefix).filter((line) => /ecap_|eyJ[\w-]+\.|subscription-key/i.test(line))).toEqual([]);
  for (const target of [deployed, local]) {
    for (const key of target.keys.values()) expect(lines.filter((line) => line.includes(key.slice(5)))).toEqual([]);
  }
});

test('the log line of a request has the metrics of the dashboard', async () => {
  const lines = (await readLogs(ministack)).filter(
    (line) => line.includes('POST /report/') && line.includes('"status":200'),
  );
  const figures = lines.map((line) => JSON.parse(line.slice(line.indexOf('{'))));
  expect(figures.length).toBeGreaterThan(10);
  for (const { readUnits, rowsScanned, functionName } of figures) {
    expect(readUnits).toBeGreaterThan(0);
    expect(rowsScanned).toBeGreaterThanOrEqual(0);
    expect(functionName).toMatch(/SubmitReport|ServeMcp/); // agents' reports run in the process of their tools
  }
  expect(Math.max(...figures.map(({ rowsScanned }) => rowsScanned))).toBeGreaterThan(1_000);
});

test('a restored table has the keys and the audit entries of the original, and takes a load', async () => {
  const restored = 'Restored';
  const source = { SourceTableName: outputs.TableName, TargetTableName: restored, UseLatestRestorableTime: true };
  await ministack.call('DynamoDB_20120810.RestoreTableToPointInTime', source);
  expect(await commands.listKeys('demo-agency', restored)).toBe(
    await commands.listKeys('demo-agency', outputs.TableName),
  );
  const audit = await commands.audit(outputs.TableName);
  expect(audit).toMatch(/ {2}arn:aws:\S+ \(local user \S+\) {2}key create {2}/);
  expect(await commands.audit(restored)).toBe(audit);
  const load = () => commands.load(join(folder, 'uploaded'), restored); // the folder that was uploaded to the bucket above
  await expect(load()).rejects.toThrow(/there is no user-id key/);
  const alias = { AliasName: `alias/${restored}-user-ids`, TargetKeyId: outputs.UserIdKeyArn }; // as a stack with the restored table creates it
  await ministack.call('TrentService.CreateAlias', alias);
  expect(await load()).toMatch(/unchanged/);
});

test('a second deployment with other settings updates the stack in place and keeps all data', async () => {
  const totalsOf = (body: Record<string, unknown>) => ({ totals: body.totals, currency: Object(body.meta).currency });
  const report = {
    path: '/report/pla',
    method: 'POST',
    as: 'agency' as const,
    body: {
      startDate: 'latest-29d',
      endDate: 'latest',
      advertiserIds: [],
      dimensions: [],
      metrics: ['cost', 'impressions'],
      filters: [],
      sort: [],
      pagination: { offset: 0, size: 1 },
    },
  };
  const before = totalsOf(bodyOf(await deployed.send(report)));
  expect(before.currency).toBe('USD');
  expect(await commands.deploy({ ...DEPLOYED, currency: 'EUR' })).toEqual(outputs);
  expect((await deployed.send(report)).status).toBe(500); // the data is in USD
  expect(await commands.deploy({ ...DEPLOYED, logRetentionDays: '7' })).toEqual(outputs);
  expect(totalsOf(bodyOf(await deployed.send(report)))).toEqual(before);
});

test('deleting the stack is rejected while it is protected, and retains its table, its keys in KMS and its bucket', async () => {
  await expect(commands.destroy()).rejects.toThrow(/TerminationProtection is enabled/);
  await ministack.unprotect('Endcap');
  await commands.destroy();
  const { Table } = await ministack.call('DynamoDB_20120810.DescribeTable', { TableName: outputs.TableName });
  expect(Table).toMatchObject({ TableStatus: 'ACTIVE', TableName: outputs.TableName });
  const { Count } = await ministack.call('DynamoDB_20120810.Scan', { TableName: outputs.TableName, Select: 'COUNT' });
  expect(Count).toBeGreaterThan(100);
  for (const [KeyId, KeySpec] of [
    [outputs.SigningKeyId, 'ECC_NIST_P256'],
    [outputs.UserIdKeyArn, 'HMAC_256'],
  ]) {
    const { KeyMetadata } = await ministack.call('TrentService.DescribeKey', { KeyId });
    expect(KeyMetadata).toMatchObject({ KeyState: 'Enabled', KeySpec });
  }
  const bucket = await ministack.get(`/${outputs.BucketName}?list-type=2`, 's3');
  expect({ status: bucket.status, text: await bucket.text() }).toEqual({
    status: 200,
    text: expect.stringContaining('_REPORT.json</Key>'),
  });
  const functions = await ministack.get('/2015-03-31/functions/', 'lambda');
  expect(await functions.json()).toMatchObject({ Functions: [] });
});

/** @returns every line of every log group, `group: line` */
async function readLogs({ call }: MiniStack): Promise<string[]> {
  const groups = Object(await call('Logs_20140328.DescribeLogGroups', { limit: 50 })).logGroups ?? [];
  const lines: string[] = [];
  for (const { logGroupName } of groups) {
    let nextToken: unknown;
    do {
      const input = { logGroupName, limit: 10_000, ...(nextToken === undefined ? {} : { nextToken }) };
      const page = Object(await call('Logs_20140328.FilterLogEvents', input));
      for (const { message } of page.events ?? []) lines.push(`${logGroupName}: ${message}`);
      nextToken = page.nextToken;
    } while (nextToken !== undefined);
  }
  return lines;
}

const TIMEOUT_MS = 5 * 60_000;

/**
 * Uploads a folder to the bucket of a deployed stack, as `npm run load -- FOLDER --bucket NAME` does.
 * @param options.endpoint of the emulated S3
 * @param options.bucket the stack's output BucketName
 * @param options.prefix the common prefix of the objects' keys; it ends with `/`
 * @returns the report that the deployed function has written
 */
async function ingestThroughBucket(options: {
  readonly endpoint: string;
  readonly bucket: string;
  readonly folder: string;
  readonly prefix: string;
}): Promise<IngestReport> {
  useLocalCredentials();
  const { endpoint, folder, prefix } = options;
  const bucket = openBucket({ name: options.bucket, endpoint, region: 'us-east-1' });
  const id = randomUUID();
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  await sendFolder({ folder, bucket, prefix, id, signal, onProgress: () => undefined });
  return waitForReport({
    bucket,
    prefix,
    id,
    signal,
    onProgress: () => undefined,
    onNote: () => undefined,
    limits: { pollMs: 200 },
  });
}

/** @returns whether this machine has a Chromium browser */
function hasBrowser(): boolean {
  try {
    return findBrowser() !== '';
  } catch {
    return false;
  }
}

/**
 * Opens the explorer as somebody does who has a key, and expects a chart, figures, and no errors in the browser's console, to which violations of the
 * content security policy and failed requests are written.
 * @param url the API's base URL
 */
async function checkExplorer(url: string, key: string): Promise<void> {
  const browser = await chromium.launch({ executablePath: findBrowser(), args: ['--no-sandbox', '--disable-gpu'] });
  try {
    const page = await browser.newPage({ locale: 'en-US' });
    const errors: string[] = [];
    page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
    page.on('pageerror', (error) => errors.push(String(error)));
    await page.goto(`${url}/explorer`);
    await page.getByLabel('API key').fill(key);
    await page.getByRole('button', { name: 'Open' }).click();
    await page.locator('.drawing svg').first().waitFor();
    expect(await page.locator('.drawing .part-bar path').count()).toBeGreaterThan(5);
    expect(await page.locator('[data-total=cost]').textContent()).toMatch(/^\$[\d,]+\.\d\d$/);
    expect(errors).toEqual([]);
  } finally {
    await browser.close();
  }
}
