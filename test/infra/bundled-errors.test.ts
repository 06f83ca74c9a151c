import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { bundleHandlers } from '../../infra/bundle/bundle-handlers.ts';
import { useLocalCredentials } from '../../infra/local/emulator/services/local-credentials.ts';
import { startServer } from '../support/start-server.ts';

const folder = mkdtempSync(join(tmpdir(), 'endcap-bundled-errors-'));
beforeAll(() => bundleHandlers(['../shared/store/table/table', '../shared/identity/signing-key'], folder));
afterAll(() => rmSync(folder, { recursive: true }));
const importBundle = (name: string) => import(pathToFileURL(join(folder, name, 'index.mjs')).href);

const startService = (error: object) =>
  startServer((_, response) => {
    response.writeHead(400, { 'content-type': 'application/x-amz-json-1.1' }).end(JSON.stringify(error));
  });

test.each([
  ['com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException', false],
  ['com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException', { code: 'STORE_BUSY' }],
  [
    'com.amazonaws.dynamodb.v20120810#ResourceNotFoundException',
    { name: 'ResourceNotFoundException', message: 'of the service' },
  ],
])('a bundled table tells the error %s from others, without its class', async (__type, expected) => {
  useLocalCredentials();
  await using server = await startService({ __type, message: 'of the service' });
  const { openTable }: typeof import('../../shared/store/table/table.ts') = await importBundle('table');
  const table = openTable({ tableName: 't', endpoint: server.endpoint, region: 'us-east-1', attempts: 1 });
  const outcome = await table.put({ pk: 'a', sk: 'b' }, { text: 'attribute_not_exists(#pk)' }).catch((e: unknown) => e);
  expect({ outcome }).toMatchObject({ outcome: expected });
});

test.each([
  ['KMSInvalidStateException', []],
  ['ThrottlingException', { code: 'STORE_BUSY' }],
  ['InvalidKeyUsageException', { name: 'InvalidKeyUsageException', message: 'of the service' }],
])('a bundled signing key tells the error %s from others, without its class', async (__type, expected) => {
  useLocalCredentials();
  await using server = await startService({ __type, message: 'of the service' });
  vi.stubEnv('AWS_ENDPOINT_URL_KMS', server.endpoint);
  const { openSigningKeys }: typeof import('../../shared/identity/signing-key.ts') = await importBundle('signing-key');
  const outcome = await openSigningKeys('the-key')
    .listPublished()
    .catch((error: unknown) => error);
  vi.unstubAllEnvs();
  expect({ outcome }).toMatchObject({ outcome: expected });
});
