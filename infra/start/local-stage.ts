import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { openTable, type Table } from '../../shared/store/table/table.ts';
import { renameUnlessExists } from '../config/make-folder-once.ts';
import { type Gateway, openGateway } from '../emulator/gateway.ts';
import { createTables } from '../emulator/services/create-tables.ts';
import { generateKey, keyInFile, openKms } from '../emulator/services/kms.ts';
import { useLocalCredentials } from '../emulator/services/local-credentials.ts';
import { type EngineName, LOCAL_ENGINE, openEngine, type TableEngine } from '../emulator/services/table-engine.ts';
import { LOCAL_REGION } from '../emulator/template/pseudo-parameters.ts';
import { readAssembly } from '../emulator/template/read-template.ts';
import type { StageDefinition } from '../emulator/template/stage-definition.ts';
import { STACK_ID, synthesize } from '../emulator/template/synthesize.ts';

/** The synthesized template's table in an embedded DynamoDB. */
export interface LocalTable {
  readonly table: Table;
  readonly endpoint: string;
  /** Rejects if the engine fails before `close` is called. */
  readonly failed: Promise<never>;
  close(): Promise<void>;
}

/** The whole service on one machine, without an HTTP server in front of it. */
export interface LocalStage extends LocalTable {
  readonly definition: StageDefinition;
  readonly gateway: Gateway;
  /** Variables that are added to the functions' own: those that `prepare` has returned, and the endpoints of table and KMS. */
  readonly environment: Readonly<Record<string, string>>;
}

export interface LocalStageOptions {
  /** Where the table and the signing key are stored; undefined = in memory. */
  readonly folder?: string;
  readonly engine?: EngineName;
  /** Called with everything that the functions log, and with the reasons of failures. */
  readonly onLog?: (text: string) => void;
  /** As in `InvokerOptions`. */
  readonly maxInstances?: number;
  /**
   * Called when the table is open and no function runs yet.
   * @returns variables that are added to the functions' own
   */
  readonly prepare?: (table: Table) => Promise<Readonly<Record<string, string>>>;
}

/** @returns the definition of the CDK app's stage; the app is synthesized if its sources have changed */
export async function readStageDefinition(): Promise<StageDefinition> {
  return readAssembly(await synthesize(), STACK_ID);
}

/** @returns the platform's time zone, from the functions' variable TIME_ZONE */
export function timeZoneOf(definition: StageDefinition): string {
  for (const { environment } of definition.functions.values()) {
    if (environment.TIME_ZONE !== undefined) return environment.TIME_ZONE;
  }
  throw new Error('no function of the template has a TIME_ZONE');
}

/** Opens the embedded DynamoDB, and creates the template's table in it if it is missing. From then on this process uses the local credentials. */
export async function openLocalTable(definition: StageDefinition, options: LocalStageOptions): Promise<LocalTable> {
  useLocalCredentials();
  const [tableDefinition] = definition.tables;
  if (tableDefinition === undefined) throw new Error('the template has no table');
  const engine = await openEngineWithTables(definition, options);
  const { name } = tableDefinition;
  return {
    // a long time limit, because the engine has one thread for all calls
    table: openTable({ tableName: name, endpoint: engine.url, region: LOCAL_REGION, requestMs: 60_000 }),
    endpoint: engine.url,
    failed: engine.failed,
    close: () => engine.close(),
  };
}

/**
 * Creates the tables of a new folder in a draft folder, which is renamed when they are ready: dynalite cannot open a table whose creation was
 * interrupted. Each process has its own draft; if another one is first, its folder is opened, which fails while that process uses it.
 */
async function openEngineWithTables(definition: StageDefinition, options: LocalStageOptions): Promise<TableEngine> {
  const { folder, engine: name = LOCAL_ENGINE } = options;
  const path = folder === undefined ? undefined : join(folder, name);
  if (path !== undefined && name === 'dynalite' && !existsSync(path)) {
    const draft = `${path}.new-${process.pid}`;
    rmSync(draft, { recursive: true, force: true });
    const first = await openEngine(name, draft);
    try {
      await createTables(first.url, definition.tables);
    } finally {
      await first.close();
    }
    renameUnlessExists(draft, path);
    rmSync(draft, { recursive: true, force: true });
  }
  const engine = await openEngine(name, path);
  try {
    await createTables(engine.url, definition.tables);
    return engine;
  } catch (error) {
    await engine.close();
    throw error;
  }
}

/** Opens the table, KMS, and the gateway with its functions, as the stage's definition describes them. */
export async function openLocalStage(
  definition: StageDefinition,
  options: LocalStageOptions = {},
): Promise<LocalStage> {
  const { folder, onLog = () => undefined, maxInstances } = options;
  await using opened = new AsyncDisposableStack(); // closes in reverse order what was opened before a failure
  const local = await openLocalTable(definition, options);
  opened.defer(local.close);
  const keyOf = (id: string) => (folder === undefined ? generateKey() : keyInFile(join(folder, `${id}.pem`)));
  const kms = await openKms(definition.signingKeys, keyOf);
  opened.defer(kms.close);
  const prepared = await options.prepare?.(local.table);
  const environment = { ...prepared, AWS_ENDPOINT_URL_DYNAMODB: local.endpoint, AWS_ENDPOINT_URL_KMS: kms.url };
  const gateway = openGateway(definition, {
    environment,
    onLog,
    ...(maxInstances === undefined ? {} : { maxInstances }),
  });
  opened.defer(() => gateway.close());
  const owned = opened.move();
  return { ...local, definition, gateway, environment, close: () => owned.disposeAsync() };
}
