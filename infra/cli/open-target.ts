import { openTable, type Table } from '../../shared/store/table/client.ts';
import { useLocalCredentials } from '../emulator/services/local-credentials.ts';
import { LOCAL_REGION } from '../emulator/template/resolve-value.ts';
import { readContext, readSettings } from '../settings.ts';
import { findRunningStage, openDataDir } from '../start/data-dir.ts';
import { openLocalTable, readStageDefinition, timeZoneOf } from '../start/local-stage.ts';
import type { CliEnvironment } from './environment.ts';
import { explainAwsError } from './explain-aws-error.ts';

/** The table that a command works on. */
export interface Target {
  readonly table: Table;
  /** The platform's zone, an IANA name. */
  readonly timeZone: string;
  /** For people: which table of whom. */
  readonly description: string;
  /** @returns what to tell people of an error of its calls: the error itself, or another that says more */
  explain(error: unknown): Promise<unknown>;
  close(): Promise<void>;
}

/** What every command takes to say which table it works on. */
export const TARGET_OPTIONS = {
  table: { type: 'string' },
  region: { type: 'string' },
  profile: { type: 'string' },
} as const;

export const TARGET_USAGE = `  --table NAME       the table of a deployed stack, with ordinary AWS credentials; without it, the stage or the data of DATA_DIR
  --region REGION    the region of the table; AWS_REGION unless given
  --profile PROFILE  the profile of the AWS credentials; AWS_PROFILE unless given`;

/** Commands have time, and may be far from the table. */
const REQUEST_MS = 60_000;

/**
 * @param options.table the name of a deployed table, reached with ordinary AWS credentials; without it the stage that runs on DATA_DIR, or
 * else DATA_DIR itself, which nobody else can open meanwhile
 */
export async function openTarget(
  options: { readonly [Name in keyof typeof TARGET_OPTIONS]?: string | undefined } & Pick<
    CliEnvironment,
    'dataDir' | 'engine'
  >,
): Promise<Target> {
  const { table: tableName, region, profile, dataDir, engine } = options;
  if (tableName !== undefined) {
    if (region !== undefined) process.env.AWS_REGION = region;
    if (profile !== undefined) process.env.AWS_PROFILE = profile;
    return {
      table: openTable({ tableName, requestMs: REQUEST_MS }),
      timeZone: readSettings(readContext()).timeZone,
      description: `the table ${tableName} on AWS`,
      explain: async (error) => explainAwsError(error, tableName),
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
      explain: async (error) => ((await findRunningStage(dataDir))?.dynamodb === endpoint ? error : isGone(url, error)),
      close: async () => undefined,
    };
  }
  const { path } = openDataDir(dataDir, engine);
  const definition = await readStageDefinition();
  const { table, close } = await openLocalTable(definition, { folder: path, engine });
  const description = `the data folder ${path}`;
  return { table, timeZone: timeZoneOf(definition), description, explain: async (error) => error, close };
}

function isGone(url: string, cause: unknown): Error {
  return new Error(`the stage at ${url} is gone: start it again, then do this again`, { cause });
}
