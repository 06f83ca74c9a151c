import {
  type CreatedKey,
  createKey,
  type KeyChange,
  listKeys,
  revokeKey,
  rotateKey,
  setKey,
} from '../../shared/identity/api-keys.ts';
import { readLastUsed } from '../../shared/identity/last-used.ts';
import { recordAudit } from '../../shared/store/audit.ts';
import type { AuditEntry } from '../../shared/store/commit/audit-entry.ts';
import { CommitReader } from '../../shared/store/commit/commits.ts';
import { readUser, type User } from '../../shared/store/listings/users.ts';
import type { Table } from '../../shared/store/table/client.ts';
import { holdsData } from '../start/data-dir.ts';
import { readCliEnvironment } from './environment.ts';
import { describeKey } from './keys/describe-key.ts';
import { KEY_OPTIONS, KEY_OPTIONS_USAGE, readInteger, readKeyOptions, withoutNulls } from './keys/key-options.ts';
import { openTarget, TARGET_OPTIONS, TARGET_USAGE } from './open-target.ts';
import { readArguments } from './read-arguments.ts';
import { runCli, writeLine } from './run-cli.ts';

const USAGE = `usage: npm run key -- create --user ID [OPTIONS] [TARGET]
       npm run key -- list   --user ID [TARGET]
       npm run key -- set    --user ID --id KEY_ID OPTIONS [TARGET]
       npm run key -- rotate --user ID --id KEY_ID [--overlap DAYS] [--days N] [TARGET]
       npm run key -- revoke --user ID --id KEY_ID [TARGET]

Keys belong to users, which are loaded with npm run load. A user may have two valid keys, so that one can replace the other. rotate creates a key with
the same label, restrictions and limits, valid for --days N (default: 365); the old one stays valid for --overlap DAYS (default: 7). Changes are in force
within 10 seconds. OPTIONS are
${KEY_OPTIONS_USAGE}
TARGET is
${TARGET_USAGE}`;

interface KeyCommand {
  readonly table: Table;
  readonly user: string;
  readonly id: string | undefined;
  readonly change: KeyChange;
  readonly overlapDays: number;
  /** @returns a function that adds the entry about a change of the key with the id to the audit */
  readonly recordAs: (action: AuditEntry['action'], change: object) => (id: string) => Promise<void>;
}

/** The commands; each returns what it prints. */
const COMMANDS: Readonly<Record<string, (command: KeyCommand) => Promise<string>>> = {
  create,
  list,
  set,
  rotate,
  revoke,
};
const DEFAULT_OVERLAP_DAYS = 7;

async function create({ table, user, change, recordAs }: KeyCommand): Promise<string> {
  const found = await requireUser(table, user);
  requireAccounts(found, change);
  const record = recordAs('key create', change);
  const created = await createKey(table, user, { ...withoutNulls(change), record });
  return describeNew(created, `This is a key of ${found.name} (${found.userType}).`);
}

async function list({ table, user }: KeyCommand): Promise<string> {
  const keys = await listKeys(table, user);
  if (keys.length === 0) {
    await requireUser(table, user);
    return `The user ${user} has no keys.`;
  }
  const days = await readLastUsed(
    table,
    keys.map(({ digest }) => digest),
  );
  return keys.map((key, index) => describeKey(key, days[index] ?? null)).join('\n');
}

async function set(command: KeyCommand): Promise<string> {
  const { table, user, change, recordAs } = command;
  const id = requireId(command);
  if (Object.keys(change).length === 0) throw new Error(`nothing to set: add an option\n${USAGE}`);
  if (change.accountIds != null) requireAccounts(await requireUser(table, user), change);
  const changed = await setKey(table, user, id, change, { record: recordAs('key set', change) });
  if (changed === undefined) return rejectId(command);
  return `The key ${id} is changed. All instances apply it within 10 seconds.\n${describeKey(changed)}`;
}

async function rotate(command: KeyCommand): Promise<string> {
  const { table, user, change, overlapDays, recordAs } = command;
  const id = requireId(command);
  const { days, ...others } = change;
  if (Object.keys(others).length > 0)
    throw new Error(`rotate keeps the attributes of the key: change them with set\n${USAGE}`);
  const record = recordAs('key rotate', { replaces: id, overlapDays, ...change });
  const created = await rotateKey(table, user, id, { overlapDays, ...(days === undefined ? {} : { days }), record });
  if (created === undefined) return rejectId(command);
  return describeNew(created, `It replaces the key ${id}, which expires in ${overlapDays} days at the latest.`);
}

async function revoke(command: KeyCommand): Promise<string> {
  const { table, user, recordAs } = command;
  const id = requireId(command);
  if (!(await revokeKey(table, user, id, { record: recordAs('key revoke', {}) }))) return rejectId(command);
  return `The key ${id} is revoked. It stops working within 10 seconds.`;
}

function requireId({ id }: KeyCommand): string {
  if (id === undefined) throw new Error(`--id is missing: which of the user's keys?\n${USAGE}`);
  return id;
}

async function rejectId({ table, user, id }: KeyCommand): Promise<never> {
  await requireUser(table, user);
  throw new Error(`the user ${user} has no key ${id}`);
}

/** Commands for existing keys call this only if they find none or set accounts, because the keys of a user who is no longer loaded can still be listed and revoked. */
async function requireUser(table: Table, user: string): Promise<User> {
  const found = await readUser(table, user, new CommitReader(table));
  if (found === undefined) throw new Error(`there is no user ${user}: users are loaded from a file users.*`);
  return found;
}

function requireAccounts({ userId, accountIds }: User, change: KeyChange): void {
  const own = new Set(accountIds);
  const foreign = (change.accountIds ?? []).filter((id) => !own.has(id));
  if (foreign.length > 0) throw new Error(`the user ${userId} is not a member of the accounts ${foreign.join(', ')}`);
}

function describeNew({ key, record }: CreatedKey, origin: string): string {
  return `${key}\n\n${origin} It cannot be shown again.\n${describeKey(record)}`;
}

await runCli(async () => {
  const options = {
    user: { type: 'string' },
    id: { type: 'string' },
    overlap: { type: 'string' },
    ...KEY_OPTIONS,
    ...TARGET_OPTIONS,
    help: { type: 'boolean', short: 'h' },
  } as const;
  const { values, positionals } = readArguments(options, USAGE);
  const [name = ''] = positionals;
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (values.help === true) return void process.stdout.write(`${USAGE}\n`);
  if (command === undefined || positionals.length > 1)
    throw new Error(`the command must be ${Object.keys(COMMANDS).join(', ')}\n${USAGE}`);
  if (values.user === undefined) throw new Error(`--user is missing\n${USAGE}`);
  const change = readKeyOptions(values);
  const overlapDays = values.overlap === undefined ? DEFAULT_OVERLAP_DAYS : readInteger('--overlap', values.overlap);
  const environment = readCliEnvironment();
  if (values.table === undefined && !holdsData(environment.dataDir)) {
    throw new Error(
      `there is no data in ${environment.dataDir}: start the local stage (npm start), load a folder, or add --table`,
    );
  }
  const target = await openTarget({ ...values, ...environment });
  process.stderr.write(`keys of ${values.user} in ${target.description}\n`);
  try {
    const { table } = target;
    const { user, id } = values;
    const actor = await target.actor();
    const recordAs: KeyCommand['recordAs'] = (action, changed) => (subject) =>
      recordAudit(table, {
        at: new Date().toISOString(),
        actor,
        action,
        subject,
        details: { userId: user, ...changed },
      });
    const output = await command({ table, user, id, change, overlapDays, recordAs });
    for (const line of output.split('\n')) writeLine(process.stdout, line);
  } catch (error) {
    throw await target.explain(error);
  } finally {
    await target.close();
  }
});
