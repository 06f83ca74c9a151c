import { createHash } from 'node:crypto';
import { cpSync, globSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { makeFolderOnce } from '../../infra/config/make-folder-once.ts';
import { STAGE_NAME } from '../../infra/config/service.ts';
import { readOwnSettings } from '../../infra/config/settings.ts';
import { formatDemoKeys } from '../../infra/local/create-demo-keys.ts';
import { DEMO_USER_ID_KEY } from '../../infra/local/demo/demo-keys.ts';
import { type Gateway, openGateway } from '../../infra/local/emulator/gateway/gateway.ts';
import { createGatewayServer } from '../../infra/local/emulator/gateway/gateway-server.ts';
import { loadDemo, writeDemoFiles } from '../../infra/local/load-demo.ts';
import { openLocalStage, openLocalTable } from '../../infra/local/local-stage.ts';
import { userIdKeyIn } from '../../infra/local/user-id-key-file.ts';
import type { Table } from '../../shared/store/table/table.ts';
import { type InjectRequest, inject, listen } from './gateway-server.ts';

const ROOT = join(import.meta.dirname, '../..');

/** The last day of the demo network in tests, and of the one whose responses the pages show. */
export const DEMO_END = '2026-03-01';

const TIME_ZONE = readOwnSettings().timeZone;

export interface TestResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The bytes as sent. */
  readonly body: Buffer;
  readonly text: string;
  readonly json: () => unknown;
}

/** The variables that `npm start` sets for the pages if the demo network is loaded. */
const DEMO_PAGES = { EXAMPLE_END: DEMO_END, DEMO_KEYS: formatDemoKeys(['ecap_demo_agency', 'ecap_demo_cpg']) };

/** The local stage for tests: the bundles that would be deployed, behind API Gateway's rules, on their own table. */
export interface TestStage {
  /** Serves a request without a port. @param request a path that includes the stage, such as `/v2/metadata/accounts`, or a whole request */
  request(request: string | InjectRequest): Promise<TestResponse>;
  /**
   * @param environment variables of the functions in place of the stage's own
   * @returns a gateway with other instances of the functions, on the same table and signing key; it is closed with this stage
   */
  twin(environment?: Readonly<Record<string, string>>): Pick<TestStage, 'request'>;
  /** The first call starts to listen on loopback. @returns the base URL, e.g. `http://127.0.0.1:40123/v2` */
  url(): Promise<string>;
  readonly table: Table;
  readonly endpoint: string;
  readonly timeZone: string;
  /** @returns everything that the functions have logged so far */
  logs(): string;
  close(): Promise<void>;
}

export interface TestStageOptions {
  /** Whether the table holds the demo network and its keys. */
  readonly demo?: boolean;
}

/** Starts a local stage, which the test must close. The functions are bundled once for all tests. */
export async function startTestStage(options: TestStageOptions = {}): Promise<TestStage> {
  const folder = options.demo === true ? await copyOfDemo() : undefined;
  let written = '';
  const onLog = (text: string) => {
    written += text;
  };
  const stage = await openLocalStage({
    ...(folder === undefined ? {} : { folder }),
    ...(options.demo === true ? { prepare: async () => DEMO_PAGES } : {}),
    onLog,
  });
  const server = createGatewayServer(stage.gateway);
  const twins: Gateway[] = [];
  let listening: Promise<number> | undefined;
  return {
    request: (request) => send(server, request),
    twin: (environment) => {
      const gateway = openGateway(stage.definition, { environment: { ...stage.environment, ...environment }, onLog });
      twins.push(gateway);
      const other = createGatewayServer(gateway);
      return { request: (request) => send(other, request) };
    },
    url: async () => {
      listening ??= listen(server);
      return `http://127.0.0.1:${await listening}/${STAGE_NAME}`;
    },
    table: stage.table,
    endpoint: stage.endpoint,
    timeZone: TIME_ZONE,
    logs: () => written,
    close: async () => {
      await server.close();
      await Promise.all(twins.map((gateway) => gateway.close()));
      await stage.close();
      if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function send(
  server: ReturnType<typeof createGatewayServer>,
  request: string | InjectRequest,
): Promise<TestResponse> {
  const { status, headers, body } = await inject(server, typeof request === 'string' ? { url: request } : request);
  const text = body.toString();
  return { status, headers, body, text, json: () => JSON.parse(text) };
}

/**
 * Copies a data folder with the demo network. The original is cached until the sources of the demo change, because loading it takes seconds.
 * @returns the copy, which the caller deletes
 */
export async function copyOfDemo(): Promise<string> {
  const cache = join(ROOT, 'node_modules/.cache/endcap-demo');
  const original = join(
    cache,
    digestOf(['shared/**/*.{ts,json}', 'infra/{local,config}/**/*.{ts,json,ndjson}', 'package-lock.json']),
  );
  if (await makeFolderOnce(original, makeDemo)) removeOthers(original);
  const folder = mkdtempSync(join(tmpdir(), 'endcap-test-'));
  cpSync(original, folder, { recursive: true });
  return folder;
}

async function makeDemo(folder: string): Promise<void> {
  const { table, close } = await openLocalTable({ folder });
  using files = await writeDemoFiles(join(folder, 'demo-files'), DEMO_END);
  await loadDemo({ userIdKey: userIdKeyIn(folder, DEMO_USER_ID_KEY), table, files, timeZone: TIME_ZONE });
  await close();
}

/** Removes the demos of other sources from the cache. */
function removeOthers(original: string): void {
  const others = readdirSync(dirname(original)).filter((name) => !name.startsWith(basename(original)));
  for (const name of others) rmSync(join(dirname(original), name), { recursive: true, force: true });
}

function digestOf(patterns: readonly string[]): string {
  const digest = createHash('sha256');
  for (const file of globSync([...patterns], { cwd: ROOT }).sort()) {
    digest.update(`${file}\n`).update(readFileSync(join(ROOT, file)));
  }
  return digest.digest('hex').slice(0, 24);
}
