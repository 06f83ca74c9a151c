import { openTable, type Table } from '../../shared/store/client.ts';
import { findRunningStage, openDataDir } from '../local/data-dir.ts';
import { useLocalCredentials } from '../local/local-credentials.ts';
import { openLocalTable, readDefinition, timeZoneOf } from '../local/local-platform.ts';
import { LOCAL_REGION } from '../local/resolve-value.ts';
import { readContext, readSettings } from '../settings.ts';
import type { CliEnvironment } from './environment.ts';

/** The table that a command works on. */
export interface Target {
  readonly table: Table;
  /** The platform's zone, an IANA name. */
  readonly timeZone: string;
  /** For people: which table of whom. */
  readonly description: string;
  close(): Promise<void>;
}

/** Commands have time, and may be far from the table. */
const REQUEST_MS = 60_000;

/**
 * @param options.table the name of a deployed table, reached with ordinary AWS credentials; without it the stage that runs on DATA_DIR, or
 * else DATA_DIR itself, which nobody else can open meanwhile
 */
export async function openTarget(
  options: { readonly table?: string | undefined } & Pick<CliEnvironment, 'dataDir' | 'engine'>,
): Promise<Target> {
  const { table: tableName, dataDir, engine } = options;
  if (tableName !== undefined) {
    return {
      table: openTable({ tableName, requestMs: REQUEST_MS }),
      timeZone: readSettings(readContext()).timeZone,
      description: `the table ${tableName} on AWS`,
      close: async () => undefined,
    };
  }
  const running = await findRunningStage(dataDir);
  if (running !== undefined) {
    useLocalCredentials();
    const { dynamodb: endpoint, tableName: name, timeZone, url } = running;
    return {
      table: openTable({ tableName: name, endpoint, region: LOCAL_REGION, requestMs: REQUEST_MS }),
      timeZone,
      description: `the stage at ${url}`,
      close: async () => undefined,
    };
  }
  const { path } = openDataDir(dataDir, engine);
  const definition = await readDefinition();
  const { table, close } = await openLocalTable(definition, { folder: path, engine });
  return { table, timeZone: timeZoneOf(definition), description: `the data folder ${path}`, close };
}
