import { type ApiKey, createKey, listKeys, revokeKey, whyInvalid } from '../../shared/identity/api-keys.ts';
import { CommitReader } from '../../shared/store/commit/commits.ts';
import { readUser, type User } from '../../shared/store/listings/users.ts';
import type { Table } from '../../shared/store/table/client.ts';
import { holdsData } from '../start/data-dir.ts';
import { readCliEnvironment } from './environment.ts';
import { openTarget, TARGET_OPTIONS, TARGET_USAGE } from './open-target.ts';
import { readArguments } from './read-arguments.ts';
import { runCli } from './run-cli.ts';

const USAGE = `usage: npm run key -- create --user ID [--days N] [TARGET]
       npm run key -- list   --user ID [TARGET]
       npm run key -- revoke --user ID --id KEY_ID [TARGET]

Keys belong to users, which are loaded with npm run load. A user may have two valid keys, so that one can replace the other.
  --days N           days until the key expires; default: 365
TARGET is
${TARGET_USAGE}`;

interface KeyCommand {
  readonly table: Table;
  readonly user: string;
  readonly days: number | undefined;
  readonly id: string | undefined;
}

const COMMANDS: Readonly<Record<string, (command: KeyCommand) => Promise<string>>> = { create, list, revoke };

async function create({ table, user, days }: KeyCommand): Promise<string> {
  const found = await requireUser(table, user);
  const { key, record } = await createKey(table, user, days === undefined ? {} : { days });
  return `${key}\n\nThis is a key of ${found.name} (${found.userType}). It cannot be shown again.\n${describe(record)}`;
}

async function list({ table, user }: KeyCommand): Promise<string> {
  const keys = await listKeys(table, user);
  if (keys.length > 0) return keys.map(describe).join('\n');
  await requireUser(table, user);
  return `The user ${user} has no keys.`;
}

async function revoke({ table, user, id }: KeyCommand): Promise<string> {
  if (id === undefined) throw new Error(`--id is missing: which of the user's keys?\n${USAGE}`);
  if (await revokeKey(table, user, id)) return `The key ${id} is revoked. It stops working within 60 seconds.`;
  await requireUser(table, user);
  throw new Error(`the user ${user} has no key ${id}`);
}

/** `list` and `revoke` call this only if they find no key, because the keys of a user who is no longer loaded can still be listed and revoked. */
async function requireUser(table: Table, user: string): Promise<User> {
  const found = await readUser(table, user, new CommitReader(table));
  if (found === undefined) throw new Error(`there is no user ${user}: users are loaded from a file users.*`);
  return found;
}

function describe(record: ApiKey): string {
  const date = (time: number) => new Date(time).toISOString().slice(0, 10);
  const state = whyInvalid(record, Date.now()) ?? 'Valid.';
  return `${record.id}  created ${date(record.createdAt)}  expires ${date(record.expiresAt)}  ${state}`;
}

await runCli(async () => {
  const options = {
    user: { type: 'string' },
    days: { type: 'string' },
    id: { type: 'string' },
    ...TARGET_OPTIONS,
    help: { type: 'boolean', short: 'h' },
  } as const;
  const { values, positionals } = readArguments(options, USAGE);
  const [name = ''] = positionals;
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (values.help === true) return void process.stdout.write(`${USAGE}\n`);
  if (command === undefined || positionals.length > 1)
    throw new Error(`the command must be create, list or revoke\n${USAGE}`);
  if (values.user === undefined) throw new Error(`--user is missing\n${USAGE}`);
  if (values.days !== undefined && !/^[1-9]\d*$/.test(values.days)) {
    throw new Error(`--days is ${values.days}; it must be an integer from 1`);
  }
  const environment = readCliEnvironment();
  if (values.table === undefined && !holdsData(environment.dataDir)) {
    throw new Error(
      `there is no data in ${environment.dataDir}: start the local stage (npm start), load a folder, or add --table`,
    );
  }
  const target = await openTarget({ ...values, ...environment });
  process.stderr.write(`keys of ${values.user} in ${target.description}\n`);
  try {
    const days = values.days === undefined ? undefined : Number(values.days);
    process.stdout.write(`${await command({ table: target.table, user: values.user, days, id: values.id })}\n`);
  } catch (error) {
    throw await target.explain(error);
  } finally {
    await target.close();
  }
});
