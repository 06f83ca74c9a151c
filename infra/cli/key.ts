import {
  type CreatedKey,
  createKey,
  DEFAULT_MAX_KEYS,
  type KeyChange,
  listKeys,
  revokeKey,
  rotateKey,
  setKey,
} from '../../shared/identity/api-keys.ts';
import { readUsage } from '../../shared/identity/key-usage.ts';
import { URL_KEY_DAYS } from '../../shared/identity/keys/key-record.ts';
import { readLastUsed } from '../../shared/identity/last-used.ts';
import { readNetwork, textsOf } from '../../shared/load/listings/known-network.ts';
import { TextIds } from '../../shared/load/schema/text-ids.ts';
import { recordAudit } from '../../shared/store/audit-trail.ts';
import type { KeyEntry } from '../../shared/store/commit/audit-entry.ts';
import { CommitReader, readCommit } from '../../shared/store/commit/commits.ts';
import { listUserIds, readUser, type User } from '../../shared/store/listings/users.ts';
import type { Table } from '../../shared/store/table/table.ts';
import { brandOf } from '../config/service.ts';
import { readOwnSettings } from '../config/settings.ts';
import { describeKey, describeKeys } from './describe-key.ts';
import { readCliEnvironment } from './environment.ts';
import { KEY_OPTIONS, KEY_OPTIONS_USAGE, readInteger, readKeyOptions, withoutNulls } from './key-options.ts';
import { writeMailText } from './mail-text.ts';
import { openExistingTarget, TARGET_OPTIONS, TARGET_USAGE } from './open-target.ts';
import { isOutputRead, logChangeOfCommand, readArguments, runCli, writeLine } from './run-cli.ts';

const USAGE = `usage: npm run key -- create --user ID [--mail-text] [OPTIONS] [TARGET]
       npm run key -- create --user ID --url --accounts LIST [OPTIONS] [TARGET]
       npm run key -- list   [--user ID] [TARGET]
       npm run key -- set    --user ID --id KEY_ID OPTIONS [TARGET]
       npm run key -- rotate --user ID --id KEY_ID [--overlap DAYS] [--days N] [--max-keys N] [TARGET]
       npm run key -- revoke --user ID --id KEY_ID [TARGET]

Keys belong to users, which are loaded with npm run load. list without --user lists the keys of all users, with their use in the last
7 days. rotate creates a key of the same kind, with the same label, restrictions and limits, valid for --days N (default: 365, for URLs ${URL_KEY_DAYS}); the old one stays valid for at most
--overlap DAYS (1 to 3650; default: 7). create --mail-text prints a text to send to the user. create --url makes a key for URLs of reports: its scope is report, and it expires at most ${URL_KEY_DAYS} days after its creation, which set and rotate do not change. Changes are in force within 10 seconds. OPTIONS are
${KEY_OPTIONS_USAGE}
TARGET is
${TARGET_USAGE}`;

interface KeyCommand {
  readonly table: Table;
  readonly userId: string;
  /** The accounts whose ids are texts. */
  readonly accountTexts: TextIds;
  readonly keyId: string | undefined;
  readonly change: KeyChange;
  readonly overlapDays: number;
  readonly maxKeys: number;
  readonly isForUrls: true | undefined;
  readonly isForMail: boolean;
  readonly address: string | undefined;
  /** @returns a function that records the action on the given key id in the audit */
  readonly auditAs: (action: KeyEntry['action'], details: object) => (keyId: string) => Promise<void>;
}

/** The commands, with their own options; `run` returns what is printed. */
const COMMANDS: Readonly<
  Record<string, { readonly run: (command: KeyCommand) => Promise<string>; readonly options: readonly string[] }>
> = {
  create: { run: create, options: ['url', 'mail-text', ...Object.keys(KEY_OPTIONS)] },
  list: { run: list, options: [] },
  set: { run: set, options: ['id', ...Object.keys(KEY_OPTIONS)] },
  rotate: { run: rotate, options: ['id', 'overlap', 'days', 'max-keys'] },
  revoke: { run: revoke, options: ['id'] },
};
const COMMON_OPTIONS = ['user', 'help', ...Object.keys(TARGET_OPTIONS)];
const DEFAULT_OVERLAP_DAYS = 7;

async function create(command: KeyCommand): Promise<string> {
  const { table, userId, change, maxKeys, isForUrls, isForMail, address, auditAs } = command;
  const found = await requireUser(table, userId);
  requireAccounts(found, command);
  const record = auditAs('key create', { ...change, ...(isForUrls && { isForUrls }) });
  const created = await createKey(table, userId, { ...withoutNulls(change), isForUrls, maxKeys, record });
  if (isForMail) return writeMailText(created, found, brandOf(readOwnSettings()), address);
  return describeNew(created, `This is a key of ${found.name} (${found.userType}).`);
}

async function list({ table, userId }: KeyCommand): Promise<string> {
  const keys = await listKeys(table, userId);
  if (keys.length === 0) {
    await requireUser(table, userId);
    return `The user ${userId} has no keys.`;
  }
  const lastUsedDays = await readLastUsed(
    table,
    keys.map(({ digest }) => digest),
  );
  return keys.map((key, index) => describeKey(key, lastUsedDays[index] ?? null)).join('\n');
}

/** Keys of removed users, which the service rejects, are not listed. */
async function listOfAllUsers(table: Table): Promise<string> {
  const userIds = await listUserIds(table, new CommitReader(table));
  const keys = (await Promise.all(userIds.map((userId) => listKeys(table, userId)))).flat();
  const digests = keys.map(({ digest }) => digest);
  const [lastUsed, usages] = await Promise.all([readLastUsed(table, digests), readUsage(table, digests, Date.now())]);
  return describeKeys(keys.map((record, index) => ({ record, lastUsed: lastUsed[index], usage: usages[index] })));
}

async function set(command: KeyCommand): Promise<string> {
  const { table, userId, change, maxKeys, auditAs } = command;
  const keyId = requireKeyId(command);
  if (Object.keys(change).length === 0) throw new Error(`nothing to set: add an option\n${USAGE}`);
  if (change.accountIds != null) requireAccounts(await requireUser(table, userId), command);
  const changed = await setKey(table, userId, keyId, change, { maxKeys, record: auditAs('key set', change) });
  if (changed === undefined) return rejectKeyId(command);
  return `Changed the key ${keyId}. All instances apply the change within 10 seconds.\n${describeKey(changed)}`;
}

async function rotate(command: KeyCommand): Promise<string> {
  const { table, userId, change, overlapDays, maxKeys, auditAs } = command;
  const keyId = requireKeyId(command);
  const { days } = change;
  const options = { overlapDays, ...(days === undefined ? {} : { days }) };
  const record = auditAs('key rotate', { replaces: keyId, ...options });
  const created = await rotateKey(table, userId, keyId, { ...options, maxKeys, record });
  if (created === undefined) return rejectKeyId(command);
  return describeNew(created, `It replaces the key ${keyId}, which expires in ${overlapDays} days at the latest.`);
}

async function revoke(command: KeyCommand): Promise<string> {
  const { table, userId, auditAs } = command;
  const keyId = requireKeyId(command);
  if (!(await revokeKey(table, userId, keyId, { record: auditAs('key revoke', {}) }))) return rejectKeyId(command);
  return `The key ${keyId} is revoked. It stops working within 10 seconds.`;
}

function requireKeyId({ keyId }: KeyCommand): string {
  if (keyId === undefined) throw new Error(`--id is missing: add the id of one of the user's keys\n${USAGE}`);
  return keyId;
}

async function rejectKeyId({ table, userId, keyId }: KeyCommand): Promise<never> {
  await requireUser(table, userId);
  throw new Error(`the user ${userId} has no key ${keyId}`);
}

/** Commands for existing keys call this only if they find none or set accounts, because the keys of a user who is no longer loaded can still be listed and revoked. */
async function requireUser(table: Table, userId: string): Promise<User> {
  const found = await readUser(table, userId, new CommitReader(table));
  if (found === undefined) throw new Error(`there is no user ${userId}: users are loaded from a file users.*`);
  return found;
}

function requireAccounts({ userId, accountIds }: User, { change, accountTexts }: KeyCommand): void {
  const own = new Set(accountIds);
  const foreign = (change.accountIds ?? []).filter((id) => !own.has(id));
  const names = accountTexts.nameIn(foreign.join(', '));
  if (foreign.length > 0) throw new Error(`the user ${userId} is not a member of the accounts ${names}`);
}

/** @returns the accounts of the table whose ids are texts, and the given texts */
async function readAccountTexts(table: Table, given: string): Promise<TextIds> {
  const network = await readNetwork(table, await readCommit(table), ['accounts']);
  const texts = new TextIds(textsOf(network));
  for (const text of given.split(',')) texts.add(text.trim().normalize('NFC'));
  return texts;
}

function describeNew({ key, record }: CreatedKey, origin: string): string {
  return `${key}\n\n${origin} The new key cannot be shown again.\n${describeKey(record)}`;
}

await runCli(async () => {
  const options = {
    user: { type: 'string' },
    id: { type: 'string' },
    overlap: { type: 'string' },
    url: { type: 'boolean' },
    'mail-text': { type: 'boolean' },
    ...KEY_OPTIONS,
    ...TARGET_OPTIONS,
    help: { type: 'boolean', short: 'h' },
  } as const;
  const { values, positionals } = readArguments(options, USAGE);
  const [name = ''] = positionals;
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (values.help === true) return void process.stdout.write(`${USAGE}\n`);
  if (command === undefined || positionals.length > 1)
    throw new Error(`the command must be one of ${Object.keys(COMMANDS).join(', ')}\n${USAGE}`);
  const allowed = [...COMMON_OPTIONS, ...command.options];
  const unused = Object.keys(values).find((option) => !allowed.includes(option));
  if (unused !== undefined) throw new Error(`${name} has no option --${unused}\n${USAGE}`);
  if (values.user === undefined && command !== COMMANDS.list) throw new Error(`--user is missing\n${USAGE}`);
  const { url, 'mail-text': isForMail = false, ...given } = values;
  const isForUrls = url === true ? url : undefined;
  const change = readKeyOptions(given);
  const overlapDays = values.overlap === undefined ? DEFAULT_OVERLAP_DAYS : readInteger('--overlap', values.overlap);
  const maxKeys = readInteger('--max-keys', values['max-keys'] ?? String(DEFAULT_MAX_KEYS));
  const target = await openExistingTarget({ ...values, ...readCliEnvironment() });
  process.stderr.write(`keys of ${values.user ?? 'all users'} in ${target.description}\n`);
  try {
    const { table, address } = target;
    const { user: userId, id: keyId } = values;
    const accountTexts = await readAccountTexts(table, values.accounts ?? '');
    let createdId: string | undefined;
    const auditAs: KeyCommand['auditAs'] = (action, details) => async (subject) => {
      if (action === 'key create' || action === 'key rotate') createdId = subject;
      const change = { actor: await target.actor(), action, subject, details: { userId, ...details } };
      await recordAudit(table, { at: new Date().toISOString(), ...change });
      logChangeOfCommand(change);
    };
    const given = { table, accountTexts, keyId, change, overlapDays, maxKeys, isForUrls, isForMail, address, auditAs };
    const output = userId === undefined ? await listOfAllUsers(table) : await command.run({ ...given, userId });
    for (const line of accountTexts.nameIn(output).split('\n')) writeLine(process.stdout, line);
    if (createdId !== undefined && !(await isOutputRead())) {
      await revoke({ ...given, userId: userId ?? '', keyId: createdId });
      throw new Error(`nobody reads the output: the new key ${createdId} is revoked`);
    }
  } catch (error) {
    throw await target.explain(error);
  } finally {
    await target.close();
  }
});
