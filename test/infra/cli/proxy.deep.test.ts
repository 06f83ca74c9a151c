import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { createServer, type RequestListener, request as sendRequest } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { connect, type Server } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { openDataDir } from '../../../infra/local/data-dir.ts';
import { openKms } from '../../../infra/local/emulator/services/kms.ts';
import { userIdKeyAlias } from '../../../shared/identity/kms-user-id-key.ts';
import { BUCKET, useObjectServer } from '../../ingest/support/object-server.ts';
import { useServer } from '../../ingest/support/use-server.ts';
import { folderOf } from '../../load/support/folder.ts';
import { FACTS, NETWORK } from '../../load/support/network-rows.ts';
import { startAgentSession } from '../../mcp/agent-session.ts';
import { copyOfDemo, DEMO_END, startTestStage } from '../../support/stage.ts';
import { useTable } from '../../support/use-engine.ts';
import { KMS_SECRET } from '../../support/user-id-key.ts';
import { runCommand } from './run-command.ts';

/** As to another continent: more than the second within which a function must have a connection. */
const CONNECT_MS = 1_100;
/** Hosts that exist only behind the proxy. */
const SERVICE = 'endcap.invalid:80';
const AWS = {
  AWS_ENDPOINT_URL_DYNAMODB: 'https://dynamodb.invalid',
  AWS_ENDPOINT_URL_S3: 'https://s3.invalid',
  AWS_ENDPOINT_URL_KMS: 'https://kms.invalid',
  AWS_ENDPOINT_URL_STS: 'https://sts.invalid',
  AWS_ENDPOINT_URL_CLOUDFORMATION: 'https://cloudformation.invalid',
  AWS_REGION: 'us-east-1',
  NODE_TLS_REJECT_UNAUTHORIZED: '0', // the certificate of the test is nobody's
  NODE_NO_WARNINGS: '1',
};
const DEMO = { ENDCAP_URL: 'http://endcap.invalid/v2', ENDCAP_KEY: 'ecap_demo_agency' };

const made = useTable();
const bucket = useObjectServer();
const sts = useServer((_, response) => {
  const arn = '<Arn>arn:aws:iam::123456789012:user/ann</Arn>';
  response.end(
    `<GetCallerIdentityResponse><GetCallerIdentityResult>${arn}</GetCallerIdentityResult></GetCallerIdentityResponse>`,
  );
});
const cloudFormation = useServer((_, response) => {
  const output = `<member><OutputKey>Url</OutputKey><OutputValue>${DEMO.ENDCAP_URL}</OutputValue></member>`;
  const stack = `<member><StackName>Endcap</StackName><Outputs>${output}</Outputs></member>`;
  const result = `<DescribeStacksResult><Stacks>${stack}</Stacks></DescribeStacksResult>`;
  response.end(`<DescribeStacksResponse>${result}</DescribeStacksResponse>`);
});
const opened = new AsyncDisposableStack();
afterAll(() => opened.disposeAsync());

/** The ports on loopback to which the proxy connects, by host. */
const ports = new Map<string, number>();
/** The hosts to which the proxy was asked to connect. */
const hosts = new Set<string>();
beforeEach(() => hosts.clear());
let proxy: Readonly<Record<string, string | undefined>>;
let stageUrl: string;

beforeAll(async () => {
  const stage = await startTestStage({ demo: true });
  opened.defer(() => stage.close());
  stageUrl = await stage.url();
  const kms = await openKms(new Map([[userIdKeyAlias(made.tableName), KMS_SECRET]]));
  opened.defer(() => kms.close());
  ports.set(SERVICE, await listen(createServer(forwardTo(new URL(stageUrl).origin))));
  const services = {
    dynamodb: made.endpoint,
    s3: bucket.endpoint,
    kms: kms.url,
    sts: sts.endpoint,
    cloudformation: cloudFormation.endpoint,
  };
  for (const [name, url] of Object.entries(services)) {
    ports.set(`${name}.invalid:443`, await listen(createHttpsServer(readCertificate(), forwardTo(url))));
  }
  const url = `http://127.0.0.1:${await listen(openProxy())}`;
  const others = { http_proxy: undefined, https_proxy: undefined, no_proxy: undefined, NO_PROXY: undefined };
  proxy = { ...others, HTTP_PROXY: url, HTTPS_PROXY: url };
});

const key = (env: Readonly<Record<string, string>>) =>
  runCommand('key', ['list', '--user', 'u-cpg', '--table', made.tableName], { ...proxy, ...AWS, ...env });
/** @returns whether the MCP server reaches the service */
const hasAccess = async ({ ENDCAP_URL = DEMO.ENDCAP_URL, ...env }: Readonly<Record<string, string>>) => {
  const agent = await startAgentSession(ENDCAP_URL, DEMO.ENDCAP_KEY, { HTTP_PROXY: proxy.HTTP_PROXY ?? '', ...env });
  const { isError } = await agent.call('list_access');
  await agent.client.close();
  return !isError;
};

test('npm run load, key and audit reach a deployed table through the proxy', async () => {
  using folder = folderOf({ ...NETWORK, ...FACTS });
  const loaded = await runCommand('load', [folder.path, '--table', made.tableName], { ...proxy, ...AWS });
  expect([loaded.code, loaded.stdout.split('\n').at(-2)]).toEqual([0, 'loaded']);
  expect([...hosts].sort()).toEqual(['dynamodb.invalid:443', 'kms.invalid:443', 'sts.invalid:443']);
  hosts.clear();
  const audit = await runCommand('audit', ['--table', made.tableName], { ...proxy, ...AWS });
  expect(audit.stdout).toContain('arn:aws:iam::123456789012:user/ann');
  expect((await key({})).code).toBe(0);
  expect([...hosts]).toEqual(['dynamodb.invalid:443']);
});

test('npm run load reaches a bucket through the proxy', async () => {
  using folder = folderOf({ accounts: [{ id: 1, name: 'A' }] });
  bucket.intercept = ({ key: name }) => (name.endsWith('/_READY') ? { status: 403, code: 'Denied' } : undefined);
  const { code, stderr } = await runCommand('load', [folder.path, '--bucket', BUCKET], { ...proxy, ...AWS });
  expect([code, stderr]).toEqual([1, expect.stringContaining('Denied')]);
  expect(bucket.objects.size).toBe(1);
  expect([...hosts]).toEqual(['s3.invalid:443']);
});

test('npx endcap mcp and prove reach the service through the proxy', async () => {
  expect(await hasAccess({})).toBe(true);
  expect([...hosts]).toEqual([SERVICE]);
  hosts.clear();
  using folder = folderOf({});
  const args = ['--stack', 'Endcap', '--page', join(folder.path, 'page.md')];
  const rejected = { ...proxy, ...AWS, AWS_ENDPOINT_URL: undefined, ENDCAP_KEY: 'ecap_wrong' };
  const { code, stdout } = await runCommand('operate/prove', args, rejected);
  expect([code, stdout]).toEqual([
    1,
    expect.stringContaining('not as expected  routes: /metadata/accounts: the status is 401'),
  ]);
  expect([...hosts].sort()).toEqual(['cloudformation.invalid:443', SERVICE]);
});

test('hosts of NO_PROXY are reached without the proxy', async () => {
  const port = ports.get('dynamodb.invalid:443');
  const env = { AWS_ENDPOINT_URL_DYNAMODB: `https://localhost:${port}`, NO_PROXY: 'localhost,0.0.0.0' };
  expect((await key(env)).code).toBe(0);
  expect(await hasAccess({ ...env, ENDCAP_URL: `http://0.0.0.0:${ports.get(SERVICE)}/v2` })).toBe(true);
  expect([...hosts]).toEqual([]);
});

test('the local stage and data folders are reached without the proxy', async () => {
  expect(await hasAccess({ ENDCAP_URL: stageUrl })).toBe(true);
  const DATA_DIR = await copyOfDemo();
  openDataDir(DATA_DIR).writeDemo({ state: 'loaded', end: DEMO_END });
  opened.defer(() => rmSync(DATA_DIR, { recursive: true }));
  const { code } = await runCommand('key', ['list', '--user', 'demo-agency'], { ...proxy, DATA_DIR });
  expect({ code, hosts: [...hosts] }).toEqual({ code: 0, hosts: [] });
});

/** @returns the port */
async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  opened.defer(() => void server.close());
  return Object(server.address()).port;
}

/** A proxy that connects to the hosts of `ports`, and rejects others. */
function openProxy(): Server {
  return createServer().on('connect', async ({ url = '' }, socket) => {
    hosts.add(url);
    const port = ports.get(url);
    if (port === undefined) return void socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
    await sleep(CONNECT_MS);
    const upstream = connect(port, '127.0.0.1');
    for (const end of [socket, upstream]) end.on('error', () => [socket, upstream].map((each) => each.destroy()));
    socket.write('HTTP/1.1 200 OK\r\n\r\n');
    socket.pipe(upstream).pipe(socket);
  });
}

/** The certificate that dynalite has for tests. */
function readCertificate() {
  const read = (name: string) => readFileSync(new URL(`./ssl/server-${name}.pem`, import.meta.resolve('dynalite')));
  return { key: read('key'), cert: read('crt') };
}

/** Sends requests on with the host of the target: services on loopback serve no others. */
function forwardTo(origin: string): RequestListener {
  return (request, response) => {
    const { method = 'GET', url = '', headers } = request;
    const { host: _, ...others } = headers;
    const sent = sendRequest(`${origin}${url}`, { method, headers: others }, (received) => {
      response.writeHead(received.statusCode ?? 502, received.headers);
      received.pipe(response);
    });
    request.pipe(sent);
  };
}
