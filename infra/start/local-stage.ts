import { existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { openTable, type Table } from '../../shared/store/table/client.ts';
import { openGateway, type Stage } from '../emulator/gateway.ts';
import { createTables } from '../emulator/services/create-tables.ts';
import { generateKey, keyInFile, openKms } from '../emulator/services/kms.ts';
import { useLocalCredentials } from '../emulator/services/local-credentials.ts';
import { type EngineName, openEngine, type TableEngine } from '../emulator/services/table-engine.ts';
import { readAssembly } from '../emulator/template/read-template.ts';
import { LOCAL_REGION } from '../emulator/template/resolve-value.ts';
import type { StageDefinition } from '../emulator/template/stage-definition.ts';
import { STACK_ID, synthesize } from '../emulator/template/synthesize.ts';

/** The table of the synthesized template in an embedded DynamoDB. */
export interface LocalTable {
  readonly table: Table;
  readonly endpoint: string;
  /** Rejects when the engine dies by itself. */
  readonly failed: Promise<never>;
  close(): Promise<void>;
}

/** The whole service on one machine, still without HTTP before it. */
export interface LocalStage extends LocalTable {
  readonly definition: StageDefinition;
  readonly stage: Stage;
  /** What the functions are told beside their own variables: where their services listen. */
  readonly environment: Readonly<Record<string, string>>;
}

export interface LocalStageOptions {
  /** Where table and signing key are kept; undefined = in memory. */
  readonly folder?: string;
  readonly engine?: EngineName;
  /** What the functions write. */
  readonly onLog?: (text: string) => void;
  readonly maxInstances?: number;
}

/** @returns what the CDK app synthesizes to, as the local stage serves it */
export async function readStageDefinition(): Promise<StageDefinition> {
  return readAssembly(await synthesize(), STACK_ID);
}

/** @returns the platform's zone, as the functions are told it */
export function timeZoneOf(definition: StageDefinition): string {
  for (const { environment } of definition.functions.values()) {
    if (environment.TIME_ZONE !== undefined) return environment.TIME_ZONE;
  }
  throw new Error('no function of the template has a TIME_ZONE');
}

/** Opens the embedded DynamoDB and makes the template's table in it where it is missing. */
export async function openLocalTable(definition: StageDefinition, options: LocalStageOptions): Promise<LocalTable> {
  useLocalCredentials();
  const [tableDefinition] = definition.tables;
  if (tableDefinition === undefined) throw new Error('the template has no table');
  const engine = await openEngineWithTables(definition, options);
  const { name } = tableDefinition;
  return {
    // one engine in one thread is slower to answer than DynamoDB, and not to be given up for it
    table: openTable({ tableName: name, endpoint: engine.url, region: LOCAL_REGION, requestMs: 60_000 }),
    endpoint: engine.url,
    failed: engine.failed,
    close: () => engine.close(),
  };
}

/**
 * A new folder's data is made beside its place and moved there when the table is ready: a table that was being made when the process died
 * would stay unusable.
 */
async function openEngineWithTables(definition: StageDefinition, options: LocalStageOptions): Promise<TableEngine> {
  const { folder, engine: name = 'dynalite' } = options;
  const path = folder === undefined ? undefined : join(folder, name);
  if (path !== undefined && name === 'dynalite' && !existsSync(path)) {
    const draft = `${path}.new`;
    rmSync(draft, { recursive: true, force: true });
    const first = await openEngine(name, draft);
    await createTables(first.url, definition.tables);
    await first.close();
    renameSync(draft, path);
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

/** Opens table, KMS and the stage with its functions, all from the synthesized template. */
export async function openLocalStage(
  definition: StageDefinition,
  options: LocalStageOptions = {},
): Promise<LocalStage> {
  const { folder, onLog = () => undefined, maxInstances } = options;
  const local = await openLocalTable(definition, options);
  const keyOf = (id: string) => (folder === undefined ? generateKey() : keyInFile(join(folder, `${id}.pem`)));
  const kms = await openKms(definition.signingKeys, keyOf);
  const environment = { AWS_ENDPOINT_URL_DYNAMODB: local.endpoint, AWS_ENDPOINT_URL_KMS: kms.url };
  const stage = openGateway(definition, {
    environment,
    onLog,
    ...(maxInstances === undefined ? {} : { maxInstances }),
  });
  return {
    ...local,
    definition,
    stage,
    environment,
    close: async () => {
      await stage.close();
      await Promise.all([kms.close(), local.close()]);
    },
  };
}
