import { createHash } from 'node:crypto';
import { cpSync, globSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { openStage, type Stage } from '../../infra/emulator/stage.ts';
import { createStageServer, type StageRequest, type StageServer } from '../../infra/emulator/stage-server.ts';
import { makeOnce } from '../../infra/emulator/template/make-once.ts';
import type { StageDefinition } from '../../infra/emulator/template/stage-definition.ts';
import { loadDemo, writeDemoFiles } from '../../infra/start/load-demo.ts';
import { type LocalPlatform, openLocalPlatform, readDefinition, timeZoneOf } from '../../infra/start/local-platform.ts';
import type { Table } from '../../shared/store/table/client.ts';

const ROOT = join(import.meta.dirname, '../..');

/** The last day of the demo network in tests, and of the one whose responses the pages show. */
export const DEMO_END = '2026-03-01';

export interface TestResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  readonly json: () => unknown;
}

/** The whole service: the bundles that would be deployed, behind API Gateway's rules, on a table of its own. */
export interface TestStage {
  /** Without a port. @param request a path from the stage on, such as `/v2/metadata/accounts`, or a whole request */
  request(request: string | StageRequest): Promise<TestResponse>;
  /** Other instances of the same functions, on the same table and with the same signing key; they end with this stage. */
  twin(): Pick<TestStage, 'request'>;
  /** Listens on loopback from the first call on. @returns the base address, e.g. `http://127.0.0.1:40123/v2` */
  url(): Promise<string>;
  readonly table: Table;
  readonly endpoint: string;
  readonly timeZone: string;
  readonly definition: StageDefinition;
  /** All that the functions have written so far. */
  logs(): string;
  close(): Promise<void>;
}

export interface TestStageOptions {
  /** With the demo network and its keys. */
  readonly demo?: boolean;
  /** Instances of one function at once. */
  readonly maxInstances?: number;
}

/** Synthesized and bundled once for all tests of a run; `close` it when done. */
export async function startTestStage(options: TestStageOptions = {}): Promise<TestStage> {
  const definition = await readDefinition();
  const folder = options.demo === true ? await copyOfDemo() : undefined;
  let written = '';
  const onLog = (text: string) => {
    written += text;
  };
  const platform = await openLocalPlatform(definition, {
    ...(folder === undefined ? {} : { folder }),
    ...(options.maxInstances === undefined ? {} : { maxInstances: options.maxInstances }),
    onLog,
  });
  const server = createStageServer(platform.stage);
  const twins: Stage[] = [];
  let listening: Promise<number> | undefined;
  return {
    request: (request) => ask(server, request),
    twin: () => {
      const stage = openStage(definition, { environment: platform.environment, onLog });
      twins.push(stage);
      const other = createStageServer(stage);
      return { request: (request) => ask(other, request) };
    },
    url: async () => {
      listening ??= server.listen(0);
      return `http://127.0.0.1:${await listening}/${definition.stageName}`;
    },
    table: platform.table,
    endpoint: platform.endpoint,
    timeZone: timeZoneOf(definition),
    definition,
    logs: () => written,
    close: async () => {
      await server.close();
      await Promise.all(twins.map((stage) => stage.close()));
      await platform.close();
      if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function ask(server: StageServer, request: string | StageRequest): Promise<TestResponse> {
  const { status, headers, body } = await server.request(typeof request === 'string' ? { url: request } : request);
  const text = body.toString();
  return { status, headers, text, json: () => JSON.parse(text) };
}

/**
 * The demo network takes seconds to load: it is loaded once for as long as what it is made by stays the same.
 * @returns a folder of the caller's own, as DATA_DIR
 */
export async function copyOfDemo(): Promise<string> {
  const cache = join(ROOT, 'node_modules/.cache/endcap-demo');
  const master = join(cache, digestOf(['shared/**/*.ts', 'infra/{start,emulator}/**/*.ts', 'package-lock.json']));
  mkdirSync(cache, { recursive: true });
  await makeOnce(master, async () => makeDemo(await readDefinition(), cache, master));
  const folder = mkdtempSync(join(tmpdir(), 'endcap-test-'));
  cpSync(master, folder, { recursive: true });
  return folder;
}

async function makeDemo(definition: StageDefinition, cache: string, master: string): Promise<void> {
  const older = readdirSync(cache).filter((name) => !name.startsWith(basename(master)));
  for (const name of older) rmSync(join(cache, name), { recursive: true, force: true });
  const draft = `${master}.draft`;
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(draft, { recursive: true });
  const platform = await openLocalPlatform(definition, { folder: draft });
  await fillWithDemo(platform, join(draft, 'demo-files'));
  await platform.close();
  renameSync(draft, master);
}

async function fillWithDemo(platform: LocalPlatform, folder: string): Promise<void> {
  using files = await writeDemoFiles(folder, DEMO_END);
  await loadDemo({ table: platform.table, files, timeZone: timeZoneOf(platform.definition) });
}

function digestOf(patterns: readonly string[]): string {
  const digest = createHash('sha256');
  for (const file of globSync([...patterns], { cwd: ROOT }).sort()) {
    digest.update(`${file}\n`).update(readFileSync(join(ROOT, file)));
  }
  return digest.digest('hex').slice(0, 24);
}
