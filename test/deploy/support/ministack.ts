import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { delimiter, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { LOCAL_ACCOUNT, LOCAL_REGION } from '../../../infra/local/emulator/services/local-credentials.ts';
import { USER_ID_KEY_BYTES } from '../../../shared/columns/hash-shopper.ts';
import { shellEnvironment } from '../../infra/shell.ts';
import type { PythonTools } from '../../support/python-tools.ts';
import { installNode } from './install-node.ts';

const START_MS = 60_000;

/** Services with ports of their own, which ignore BIND_HOST and listen on all interfaces. */
const NO_OTHER_LISTENERS = { IOT_MTLS_ENABLED: '0', SFTP_ENABLED: '0' };

/** A running MiniStack: an AWS emulator on one loopback port, whose state is lost when it ends. */
export interface MiniStack {
  readonly endpoint: string;
  /** The environment of a shell with Node 20 in which programs use it instead of AWS; it contains none of the user's AWS credentials and settings. */
  readonly environment: NodeJS.ProcessEnv;
  /** Calls an operation of a JSON service, such as `DynamoDB_20120810.DescribeTable`. */
  call(target: string, input: object): Promise<Record<string, unknown>>;
  /** Sends a GET request to a REST service, such as `lambda`. */
  get(path: string, service: string): Promise<Response>;
  /** Ends the termination protection of a stack. */
  unprotect(stackName: string): Promise<void>;
  close(): Promise<void>;
}

/** @param folder an existing folder for its files */
export async function startMiniStack(tools: PythonTools, folder: string): Promise<MiniStack> {
  const port = await freePort();
  const endpoint = `http://127.0.0.1:${port}`;
  const temporary = join(folder, 'tmp');
  mkdirSync(temporary, { recursive: true });
  const shellNode = installNode('20.20.2');
  const environment = awsEnvironment(endpoint, folder, shellEnvironment(shellNode.bin));
  const log = openSync(join(folder, 'emulator.log'), 'w');
  const server = spawn(tools.bin('python'), ['-m', 'ministack'], {
    env: {
      ...environment,
      PATH: [dirname(process.execPath), environment.PATH].join(delimiter), // it runs functions with the `node` on the path
      BIND_HOST: '127.0.0.1',
      GATEWAY_PORT: String(port),
      TMPDIR: temporary,
      ...NO_OTHER_LISTENERS,
    },
    stdio: ['ignore', log, log],
  });
  const close = async () => {
    await stop(server);
    closeSync(log);
    shellNode[Symbol.dispose]();
  };
  try {
    await waitFor(endpoint, server);
  } catch (error) {
    await close();
    throw new Error(`MiniStack did not start: ${readFileSync(join(folder, 'emulator.log'), 'utf8')}`, { cause: error });
  }
  const get = (path: string, service: string) =>
    fetch(endpoint + path, { headers: { Authorization: authorizationFor(service) } });
  return {
    endpoint,
    environment,
    call: (target, input) => call(endpoint, target, input),
    get,
    unprotect: async (stackName) => {
      const query = `Action=UpdateTerminationProtection&StackName=${stackName}&EnableTerminationProtection=false`;
      await get(`/?${query}`, 'cloudformation');
    },
    close,
  };
}

function awsEnvironment(endpoint: string, folder: string, shell: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const kept = Object.entries(shell).filter(([name]) => !name.startsWith('AWS_') && !name.startsWith('CDK_'));
  return {
    ...Object.fromEntries(kept),
    HOME: folder,
    AWS_ENDPOINT_URL: endpoint,
    AWS_REGION: LOCAL_REGION,
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
    CDK_DEFAULT_ACCOUNT: LOCAL_ACCOUNT,
    CDK_DEFAULT_REGION: LOCAL_REGION,
    CDK_DISABLE_CLI_TELEMETRY: 'true',
  };
}

async function call(endpoint: string, target: string, input: object): Promise<Record<string, unknown>> {
  const [service = ''] = target.toLowerCase().split('_');
  const response = await fetch(endpoint, {
    method: 'POST',
    headers: {
      'X-Amz-Target': target,
      'Content-Type': 'application/x-amz-json-1.1',
      Authorization: authorizationFor(service),
    },
    body: JSON.stringify(input),
  });
  if (!response.ok) throw new Error(`${target}: ${response.status} ${await response.text()}`);
  return Object(await response.json());
}

/** @returns an Authorization header; MiniStack routes by the service in it, and does not check the signature */
function authorizationFor(service: string): string {
  const credential = `Credential=test/20260101/${LOCAL_REGION}/${service}/aws4_request`;
  return `AWS4-HMAC-SHA256 ${credential}, SignedHeaders=host, Signature=none`;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('a TCP server has no port');
  return address.port;
}

async function waitFor(endpoint: string, server: ChildProcess): Promise<void> {
  const deadline = Date.now() + START_MS;
  while (server.exitCode === null && Date.now() < deadline) {
    const up = await fetch(`${endpoint}/_ministack/health`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (up) return;
    await sleep(200);
  }
  throw new Error(server.exitCode === null ? `no response within ${START_MS / 1000} s` : 'the process ended');
}

async function stop(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null) return;
  const ended = once(server, 'exit');
  server.kill('SIGTERM');
  const gone = await Promise.race([ended, sleep(15_000, undefined, { ref: false })]);
  if (gone === undefined) server.kill('SIGKILL');
}

/**
 * @param keyId the stack's user-id key
 * @returns the hashing key of the stack's loads: estimates of unique users are equal elsewhere only with the same one
 */
export async function deriveUserIdKey({ call }: MiniStack, keyId: string): Promise<Uint8Array> {
  const Message = Buffer.from('endcap user ids').toString('base64');
  const { Mac } = await call('TrentService.GenerateMac', { KeyId: keyId, Message, MacAlgorithm: 'HMAC_SHA_256' });
  return Buffer.from(String(Mac), 'base64').subarray(0, USER_ID_KEY_BYTES);
}
