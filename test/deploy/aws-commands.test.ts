import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { LOCAL_ACCOUNT } from '../../infra/local/emulator/services/local-credentials.ts';
import { installPythonTools, type PythonTools } from '../support/python-tools.ts';
import { type LoopbackServer, startServer } from '../support/start-server.ts';
import { awsCommands, commandsIn } from './support/aws-commands.ts';
import { type MiniStack, startMiniStack } from './support/ministack.ts';

/** Commands of version 2 of the AWS command line, which PyPI does not have. */
const ONLY_IN_V2 = ['logs tail'];
/** Commands that MiniStack runs. Of other commands, only the words are checked. */
const RUN = [
  'dynamodb delete-table',
  'dynamodb describe-table',
  'dynamodb list-backups',
  'dynamodb restore-table-to-point-in-time',
  'dynamodb update-continuous-backups',
  'dynamodb update-table',
  'dynamodb update-time-to-live',
  'dynamodb wait',
  'kms disable-key',
  'kms schedule-key-deletion',
  's3 cp',
  's3 rb',
  's3 rm',
  'sqs get-queue-attributes',
  'sqs purge-queue',
  'sqs receive-message',
];
/** How the resources of these commands are created, by their placeholders in the pages. */
const PLACEHOLDERS: Readonly<Record<string, (name: string) => Promise<string>>> = {
  TABLE: createTable,
  RESTORED: createTable,
  BUCKET: createBucket,
  QUEUE_URL: createQueue,
  SIGNING_KEY_ID: createKey,
  USER_ID_KEY_ARN: createKey,
  OLD_KEY_ID: createKey,
};
/** Long enough for every operation. */
const ANY_ARN = 'arn:aws:service:us-east-1:000000000000:resource';

const folder = mkdtempSync(join(tmpdir(), 'endcap-aws-'));
let tools: PythonTools;
let ministack: MiniStack;
/** A service that rejects everything. */
let server: LoopbackServer;
/** How many requests it has got. */
let requests = 0;
beforeAll(async () => {
  tools = installPythonTools('deploy/requirements.txt');
  ministack = await startMiniStack(tools, folder);
  server = await startServer((_, response) => {
    requests += 1;
    response.writeHead(400, { 'content-type': 'application/x-amz-json-1.0' }).end('{"__type":"Rejected"}');
  });
});
afterAll(async () => {
  await server?.[Symbol.asyncDispose]();
  await ministack?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Runs the AWS command line. @returns what it prints as an error, and whether it ended without one */
async function aws(endpoint: string, words: readonly string[]) {
  const { promise, resolve } = Promise.withResolvers<{ isDone: boolean; stderr: string }>();
  const env = { ...ministack.environment, AWS_DEFAULT_REGION: 'us-east-1', AWS_MAX_ATTEMPTS: '1', AWS_PAGER: '' };
  execFile(tools.bin('aws'), ['--endpoint-url', endpoint, ...words], { env }, (error, _, stderr) =>
    resolve({ isDone: error === null, stderr }),
  );
  return promise;
}

/** @returns undefined if the command line accepts the words: it sends a request, or they are only the name of a command; otherwise what it prints */
async function findProblem(words: readonly string[]): Promise<string | undefined> {
  const before = requests;
  const values = words.map((word) => word.replace(/^[A-Z_]*ARN$/, ANY_ARN).replace(/^[A-Z_]*REGION$/, 'us-east-1'));
  const { stderr } = await aws(server.endpoint, values);
  const isName = words.length === 2 && !stderr.includes('Invalid choice');
  return requests > before || isName ? undefined : stderr;
}

async function createTable(name: string): Promise<string> {
  await ministack.call('DynamoDB_20120810.CreateTable', {
    TableName: name,
    AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
    KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
    BillingMode: 'PAY_PER_REQUEST',
  });
  return name;
}

async function createBucket(name: string): Promise<string> {
  await aws(ministack.endpoint, ['s3', 'mb', `s3://${name}`]);
  await aws(ministack.endpoint, ['s3api', 'put-object', '--bucket', name, '--key', 'FOLDER/_READY']);
  return name;
}

async function createQueue(name: string): Promise<string> {
  await aws(ministack.endpoint, ['sqs', 'create-queue', '--queue-name', name]);
  return `${ministack.endpoint}/${LOCAL_ACCOUNT}/${name}`;
}

async function createKey(): Promise<string> {
  return Object((await ministack.call('TrentService.CreateKey', {})).KeyMetadata).KeyId;
}

/** @returns the words with the names of new resources in place of the placeholders @param id is part of the names */
async function fillIn(words: readonly string[], id: number): Promise<string[]> {
  const values = new Map<string, string>();
  for (const [placeholder, create] of Object.entries(PLACEHOLDERS)) {
    const name = `${placeholder.toLowerCase()}-${id}`;
    const isAbsent =
      (placeholder === 'RESTORED' && words[1]?.startsWith('restore-')) || words[2] === 'table-not-exists';
    if (words.join(' ').includes(placeholder)) values.set(placeholder, isAbsent ? name : await create(name));
  }
  return words.map((word) => word.replace(/\b[A-Z][A-Z_]+\b/g, (name) => values.get(name) ?? name));
}

const startsWith = (names: readonly string[], words: readonly string[]) => names.includes(words.slice(0, 2).join(' '));
const COMMANDS = awsCommands()
  .filter(([, words]) => !startsWith(ONLY_IN_V2, words))
  .map(([page, words], id) => ({ page, words, text: words.join(' '), id }));

test.each(COMMANDS.filter(({ words }) => words.length === 2 || !startsWith(RUN, words)))(
  'the AWS command line accepts aws $text ($page)',
  async ({ words }) => {
    expect(await findProblem(words)).toBeUndefined();
  },
);

test.each(COMMANDS.filter(({ words }) => words.length > 2 && startsWith(RUN, words)))(
  'MiniStack runs aws $text ($page)',
  async ({ words, id }) => {
    expect(await aws(ministack.endpoint, await fillIn(words, id))).toEqual({ isDone: true, stderr: '' });
  },
);

test.each(ONLY_IN_V2)('version 1 does not accept aws %s', async (name) => {
  expect(await findProblem(name.split(' '))).toContain('Invalid choice');
});

test.each([
  ['dynamodb update-tables --table-name T', 'Invalid choice'],
  ['dynamodb import-tables', 'Invalid choice'],
  ['dynamodb update-table --table-name T --no-protection', 'Unknown options'],
  ['dynamodb update-table --table-name T --warm-throughput ReadUnits=12000', 'Unknown parameter'],
  ['kms schedule-key-deletion --pending-window-in-days 7', 'arguments are required'],
])('aws %s is a problem', async (text, problem) => {
  expect(await findProblem(text.split(' '))).toContain(problem);
});

test('commands are found in code blocks, in comments of them and in inline code', () => {
  const page = [
    'First `aws s3 ls`, then `aws sqs',
    'purge-queue --queue-url URL`, but no aws s3, and `aws s3 r…`.',
    '   ```sh',
    '   until aws kms list-keys; do :; done # as (aws kms list-aliases)',
    '   ID=$(aws kms a --b \'{ $.c = "#" }\' \\',
    '     --d $(($(date +%s) - 3600))000) && X=1 aws kms e',
    '   ```',
  ].join('\n');
  expect(commandsIn(page).map((words) => words.join(' '))).toEqual([
    'kms list-keys',
    'kms list-aliases',
    'kms a --b { $.c = "#" } --d 0000',
    'kms e',
    's3 ls',
    'sqs purge-queue --queue-url URL',
  ]);
});
