import { setTimeout as sleep } from 'node:timers/promises';
import {
  DeleteTableCommand,
  DescribeContinuousBackupsCommand,
  DynamoDBClient,
  ResourceNotFoundException,
  RestoreTableToPointInTimeCommand,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';
import { THROUGH_PROXY } from '../../../shared/lib/sdk/proxy.ts';
import { SLOW_ATTEMPT_MS } from '../../../shared/lib/sdk/request-limits.ts';
import { readCommit } from '../../../shared/store/commit/commits.ts';
import { openTable } from '../../../shared/store/table/table.ts';
import { request, type Target } from './contract-requests.ts';
import { onEmulator, poll } from './steps.ts';

const RESTORE_SECONDS = 3600;
/** More would be a load; a canary deployment that fails ends earlier. */
const MAX_CANARY_REQUESTS = 600;

/**
 * Restores a table to the new one `TableName` with the state of `since` or later, in ms since 1970, and compares both.
 * @param made deletes the new table when it is disposed, unless that was deleted with a stack
 */
export async function restoreTable(
  { SourceTableName, TableName }: Readonly<Record<'SourceTableName' | 'TableName', string>>,
  since: number,
  made: AsyncDisposableStack,
  signal: AbortSignal,
): Promise<string> {
  const client = new DynamoDBClient({ requestHandler: THROUGH_PROXY });
  const waiting = { client, maxWaitTime: RESTORE_SECONDS };
  const isBackedUp = async () => {
    const answer = await client.send(new DescribeContinuousBackupsCommand({ TableName: SourceTableName }));
    const latest = answer.ContinuousBackupsDescription?.PointInTimeRecoveryDescription?.LatestRestorableDateTime;
    return (latest?.getTime() ?? 0) > since || undefined;
  };
  // MiniStack backs up nothing, and copies the present state
  if (!onEmulator() && !(await poll(RESTORE_SECONDS, isBackedUp, signal)))
    throw new Error('the backup does not have the load');
  const names = { SourceTableName, TargetTableName: TableName };
  await client.send(new RestoreTableToPointInTimeCommand({ ...names, UseLatestRestorableTime: true }));
  await waitUntilTableExists(waiting, { TableName }); // also after an interruption: only then it can be deleted
  made.defer(async () => {
    const isGone = (error: unknown) => error instanceof ResourceNotFoundException;
    await client.send(new DeleteTableCommand({ TableName })).catch((error) => isGone(error) || Promise.reject(error));
  });
  const commitOf = async (tableName: string) =>
    (await readCommit(openTable({ tableName, requestMs: SLOW_ATTEMPT_MS }))).commit;
  const [source, restored] = [await commitOf(SourceTableName), await commitOf(TableName)];
  if (source !== restored) throw new Error(`the commit is ${restored} instead of ${source}`);
  return `both have commit ${source}`;
}

/** Rotates the key that signs tokens. @param rotate publishes the second generation, and then signs with it */
export async function rotateSigningKey(target: Target, rotate: () => Promise<unknown>): Promise<string> {
  const makeToken = async () => String((await request(target, '/jwt')).body.token);
  const keyOf = (token: string) => JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()).kid;
  const old = await makeToken();
  await rotate();
  // invocations still reach the previous version for a moment
  const made = await poll(60, async () => [await makeToken()].find((token) => keyOf(token) !== keyOf(old)));
  if (made === undefined) throw new Error('new tokens still have the old key');
  for (const token of [old, made])
    await request(target, '/jwt/claims', { headers: { Authorization: `Bearer ${token}` } });
  const { keys } = Object((await request(target, '/.well-known/jwks.json')).body);
  if (keys.length !== 2) throw new Error(`${keys.length} public keys are published instead of 2`);
  return '2 public keys, and tokens of both are accepted';
}

/** Sends a request per second while a failing version is deployed, and 20 afterwards; none may fail, because the check finds the failure first. @param deploy must be rejected */
export async function watchRollback(
  target: Target,
  deploy: () => Promise<unknown>,
  signal: AbortSignal,
): Promise<string> {
  let outcome: string | undefined;
  const deployed = deploy().then(
    () => (outcome = 'succeeded'),
    (error: unknown) => (outcome = String(error)),
  );
  const countFailures = async (count: number, isEnough: () => boolean) => {
    let failed = 0;
    for (let sent = 0; sent < count && !isEnough(); sent++) {
      await request(target, '/metadata/fields').catch(() => failed++);
      await sleep(1000, undefined, { signal });
    }
    return failed;
  };
  const during = await countFailures(MAX_CANARY_REQUESTS, () => outcome !== undefined);
  await deployed;
  const after = await countFailures(20, () => false);
  const seen = `${during} requests failed meanwhile, and ${after} of 20 afterwards`;
  if (during + after > 0 || outcome === 'succeeded') throw new Error(`${seen}; the deployment: ${outcome}`);
  return seen;
}
