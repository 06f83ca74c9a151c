import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { BASE_PATH } from '../../shared/contract/problem.ts';
import { kmsUserIdKey, userIdKeyAlias } from '../../shared/identity/kms-user-id-key.ts';
import { THROUGH_PROXY } from '../../shared/lib/sdk/proxy.ts';
import { SLOW_ATTEMPT_MS } from '../../shared/lib/sdk/request-limits.ts';
import type { UserIdKeySource } from '../../shared/store/data-settings.ts';
import { openTable, type Table } from '../../shared/store/table/table.ts';
import type { ThrottlePolicy } from '../../shared/store/table/write-rate.ts';
import { readOwnSettings } from '../config/settings.ts';
import {
  explainFullDisk,
  findRunningStage,
  holdsData,
  openDataDir,
  type RunningStage,
  readDemoState,
} from '../local/data-dir.ts';
import { LOCAL_REGION, useLocalCredentials } from '../local/emulator/services/local-credentials.ts';
import { openLocalTable } from '../local/local-stage.ts';
import { localUser } from '../local/local-user.ts';
import { userIdKeyIn } from '../local/user-id-key-file.ts';
import { setAwsEnvironment } from './environment.ts';
import { explainAwsError } from './explain-aws-error.ts';

/** Long enough through a proxy; without a network, the four attempts of a read end within ten seconds. */
const CONNECT_MS = 2_000;

interface Target {
  readonly table: Table;
  /** The platform's time zone, an IANA name. Of a deployed table it is that of the local settings, which is not compared with the stack. */
  readonly timeZone: string;
  readonly description: string;
  /** The base URL of the API, if it is known. */
  readonly address?: string | undefined;
  readonly holdsDemo: boolean;
  /** Returns the table's hashing key for shopper ids. */
  readonly userIdKey: UserIdKeySource;
  /** @returns who uses the table, for the audit */
  actor(): Promise<string>;
  /** @returns the error of a call, or one with a more helpful message */
  explain(error: unknown): Promise<unknown>;
  close(): Promise<void>;
}

/** The options with which a command selects its table. */
export const TARGET_OPTIONS = {
  table: { type: 'string' },
  region: { type: 'string' },
  profile: { type: 'string' },
} as const;

export const TARGET_USAGE = `  --table NAME       the table of a deployed stack, with your AWS credentials; default: the local stage, or its data in DATA_DIR
  --region REGION    the region of the table; default: AWS_REGION
  --profile PROFILE  the profile of the AWS credentials; default: AWS_PROFILE`;

interface OpenOptions extends TargetOptions {
  readonly dataDir: string;
  /** How a load writes to a deployed table; without it, calls fail after some attempts. */
  readonly throttling?: ThrottlePolicy;
}

type TargetOptions = { readonly [Name in keyof typeof TARGET_OPTIONS]?: string | undefined };

/**
 * @param options.table the name of a deployed table, used with the operator's AWS credentials. Without it, the target is the local stage that runs on
 * DATA_DIR, or else DATA_DIR itself, which no other process can open until `close`.
 * @returns the table that the command uses; close it at the end
 * @throws Error if `region` or `profile` is given without `table`, if the data folder cannot be used or its state is damaged, if another process uses it, or if
 * settings are invalid
 */
export async function openTarget(options: OpenOptions): Promise<Target> {
  const { table, region, profile, dataDir } = options;
  if (table === undefined && (region !== undefined || profile !== undefined))
    throw new Error('--region and --profile require --table');
  if (table !== undefined) return openDeployedTable(table, options);
  const running = await findRunningStage(dataDir);
  return running === undefined ? openDataFolder(dataDir) : openRunningStage(dataDir, running);
}

/** As `openTarget`, but does not create a table. @throws Error if there is none on this machine and `table` is absent */
export async function openExistingTarget(options: OpenOptions): Promise<Target> {
  const { table, dataDir } = options;
  if (table !== undefined || holdsData(dataDir)) return openTarget(options);
  throw new Error(`there is no data in ${dataDir}: start the local stage (npm start), load a folder, or add --table`);
}

function openDeployedTable(tableName: string, { region, profile, throttling }: OpenOptions): Target {
  setAwsEnvironment({ region, profile });
  const { timeZone, customDomain } = readOwnSettings();
  return {
    table: openTable({
      tableName,
      ...(throttling ? { requestMs: SLOW_ATTEMPT_MS, throttling } : { connectMs: CONNECT_MS }),
    }),
    holdsDemo: false,
    actor: async () => `${await callerArn()} (${localUser()})`,
    timeZone,
    description: `the table ${tableName} on AWS`,
    address: customDomain && `https://${customDomain.name}${BASE_PATH}`,
    userIdKey: kmsUserIdKey(userIdKeyAlias(tableName)),
    explain: async (error) => explainAwsError(error, tableName),
    close: async () => undefined,
  };
}

function openRunningStage(dataDir: string, { dynamodb: endpoint, tableName, timeZone, url }: RunningStage): Target {
  const hasDemo = holdsDemo(dataDir);
  useLocalCredentials();
  return {
    table: openTable({ tableName, endpoint, region: LOCAL_REGION, requestMs: SLOW_ATTEMPT_MS }),
    timeZone,
    holdsDemo: hasDemo,
    actor: async () => localUser(),
    description: `the local stage at ${url}`,
    address: `${url}${BASE_PATH}`,
    userIdKey: userIdKeyIn(dataDir),
    explain: async (error) =>
      (await findRunningStage(dataDir))?.dynamodb === endpoint
        ? error
        : explainFullDisk(dataDir, stageEnded(url, error)),
    close: async () => undefined,
  };
}

async function openDataFolder(dataDir: string): Promise<Target> {
  const { path } = openDataDir(dataDir);
  const hasDemo = holdsDemo(path);
  const { table, close } = await openLocalTable({ folder: path });
  return {
    table,
    timeZone: readOwnSettings().timeZone,
    holdsDemo: hasDemo,
    actor: async () => localUser(),
    description: `the data folder ${path}`,
    userIdKey: userIdKeyIn(path),
    explain: (error) => explainFullDisk(path, error),
    close,
  };
}

function holdsDemo(dataDir: string): boolean {
  return readDemoState(dataDir)?.state === 'loaded';
}

/** @returns the ARN of the AWS identity that runs the command. The call needs no IAM permission. */
async function callerArn(): Promise<string> {
  const client = new STSClient({ requestHandler: THROUGH_PROXY });
  try {
    return (await client.send(new GetCallerIdentityCommand({}))).Arn ?? 'unknown';
  } finally {
    client.destroy();
  }
}

function stageEnded(url: string, cause: unknown): Error {
  return new Error(`the local stage at ${url} has ended: start it again, then repeat the command`, { cause });
}
