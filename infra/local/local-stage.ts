import { existsSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { FIELDS_FILE } from '../../shared/catalog/custom-fields.ts';
import { SLOW_ATTEMPT_MS } from '../../shared/lib/sdk/request-limits.ts';
import { openTable, type Table } from '../../shared/store/table/table.ts';
import { cachedBundles } from '../bundle/cached-bundles.ts';
import { renameUnlessExists } from '../config/make-folder-once.ts';
import { serviceFunctions } from '../config/service.ts';
import { readOwnSettings, type Settings } from '../config/settings.ts';
import { explainFullDisk } from './data-dir.ts';
import { type Gateway, openGateway } from './emulator/gateway/gateway.ts';
import type { StageDefinition } from './emulator/gateway/stage-definition.ts';
import { createTable } from './emulator/services/create-table.ts';
import { generateKey, keyInFile, openKms } from './emulator/services/kms.ts';
import { LOCAL_REGION, useLocalCredentials } from './emulator/services/local-credentials.ts';
import { openEngine } from './emulator/services/table-engine.ts';

const TABLE_NAME = 'Endcap-Table';

interface LocalTable {
  readonly table: Table;
  readonly endpoint: string;
  /** Rejects if the engine fails before `close` is called. */
  readonly failed: Promise<never>;
  close(): Promise<void>;
}

/** The whole service on one machine, without an HTTP server in front of it. */
interface LocalStage extends LocalTable {
  readonly definition: StageDefinition;
  readonly gateway: Gateway;
  /** Variables that are added to the functions' own: those that `prepare` has returned, and the endpoints of table and KMS. */
  readonly environment: Readonly<Record<string, string>>;
}

interface LocalTableOptions {
  /** Where the table is stored; undefined = in memory. */
  readonly folder?: string;
}

/** `folder` also holds the signing keys. */
interface LocalStageOptions extends LocalTableOptions {
  /** Default: those of this clone. */
  readonly settings?: Settings;
  /** Called if the functions have to be bundled, because their sources have changed. */
  readonly onBundle?: () => void;
  /** Called with everything that the functions log, and with the reasons of failures. */
  readonly onLog?: (text: string) => void;
  /**
   * Called when the table is open and no function runs yet; functions may be bundled at the same time.
   * @returns variables that are added to the functions' own
   */
  readonly prepare?: (table: Table) => Promise<Readonly<Record<string, string>>>;
}

/** Opens the embedded DynamoDB, and creates the table in it if it is missing. From then on this process uses the local credentials. */
export async function openLocalTable(options: LocalTableOptions = {}): Promise<LocalTable> {
  useLocalCredentials();
  const engine = await openEngineWithTable(options);
  return {
    table: openTable({
      tableName: TABLE_NAME,
      endpoint: engine.url,
      region: LOCAL_REGION,
      requestMs: SLOW_ATTEMPT_MS,
    }),
    endpoint: engine.url,
    failed: engine.failed,
    close: () => engine.close(),
  };
}

/**
 * Creates the table of a new folder in a draft folder, which is renamed when it is ready: dynalite cannot open a table whose creation was
 * interrupted. Each process has its own draft; if another one is first, its folder is opened, which fails while that process uses it.
 */
async function openEngineWithTable({ folder }: LocalTableOptions) {
  if (folder === undefined) return openWithTable();
  const path = join(folder, 'dynalite');
  if (!existsSync(path)) {
    const draft = `${path}.new-${process.pid}`;
    rmSync(draft, { recursive: true, force: true });
    const first = await openWithTable(draft);
    await first.close();
    renameUnlessExists(draft, path);
    rmSync(draft, { recursive: true, force: true });
  }
  return openWithTable(path);
}

async function openWithTable(path?: string) {
  const engine = await openEngine(path);
  try {
    await Promise.race([createTable(engine.url, TABLE_NAME), engine.failed]);
    return engine;
  } catch (error) {
    await engine.close();
    const reason = error instanceof Error ? error.message : String(error);
    const place = path === undefined ? 'the table' : `the table in ${path}`;
    const unusable = new Error(
      `${place} cannot be opened: another load or process uses it, or it is damaged (${reason})`,
      {
        cause: error,
      },
    );
    throw path === undefined ? unusable : await explainFullDisk(dirname(path), unusable);
  }
}

/** Opens the table, KMS, and the gateway with its functions. */
export async function openLocalStage(options: LocalStageOptions = {}): Promise<LocalStage> {
  const { folder, onLog = () => undefined, settings = readOwnSettings() } = options;
  const bundling = cachedBundles(options.onBundle);
  bundling.catch(() => undefined); // awaited below, at the same time as the preparation
  await using opened = new AsyncDisposableStack(); // closes in reverse order what was opened before a failure
  const local = await openLocalTable(options);
  opened.defer(local.close);
  const { sign, accept } = settings.signingKeys;
  const signingKeyIds = [sign, ...accept].map((generation) => `signing-key-${generation}`);
  const keyOf = (id: string) => (folder === undefined ? generateKey() : keyInFile(join(folder, `${id}.pem`)));
  const kms = await openKms(new Map(signingKeyIds.map((id) => [id, keyOf(id)])));
  opened.defer(kms.close);
  const [prepared, bundles] = await Promise.all([options.prepare?.(local.table), bundling]);
  const environment = { ...prepared, AWS_ENDPOINT_URL_DYNAMODB: local.endpoint, AWS_ENDPOINT_URL_KMS: kms.url };
  const definition = defineStage(settings, signingKeyIds, bundles);
  const gateway = openGateway(definition, { environment, onLog });
  opened.defer(() => gateway.close());
  const owned = opened.move();
  return { ...local, definition, gateway, environment, close: () => owned.disposeAsync() };
}

function defineStage(settings: Settings, signingKeyIds: readonly string[], bundles: string): StageDefinition {
  const names = { stackName: settings.stackName, tableName: TABLE_NAME, signingKeyIds };
  const functions = serviceFunctions(settings, names).map(({ name, paths, memory, timeout, environment }) => ({
    name,
    paths,
    folder: join(bundles, name),
    memoryMb: memory,
    timeoutMs: timeout * 1000,
    environment: { ...environment, FIELDS_FILE: join(bundles, name, FIELDS_FILE) },
    logLevel: settings.logLevel,
  }));
  return { functions, corsOrigins: settings.corsOrigins };
}
