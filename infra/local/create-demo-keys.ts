import { digestOf, explainInvalid, findKey } from '../../shared/identity/keys/key-record.ts';
import { keysOf } from '../../shared/lib/keys-of.ts';
import { CommitReader } from '../../shared/store/commit/commits.ts';
import { readUser } from '../../shared/store/listings/users.ts';
import type { Table } from '../../shared/store/table/table.ts';
import { DEMO_EXAMPLES, DEMO_KEYS, DEMO_VIEWS } from './demo/demo-keys.ts';

export type DemoKey = keyof typeof DEMO_KEYS;

/** @returns the demo keys with which the demo's examples work */
export async function workingDemoKeys(table: Table): Promise<DemoKey[]> {
  const names = keysOf(DEMO_KEYS);
  const works = await Promise.all(names.map((name) => seesExamples(table, name)));
  return names.filter((_, index) => works[index]);
}

/** @returns the keys as the function of the pages reads them from its environment: `KEY=VIEW,KEY=VIEW` */
export function formatDemoKeys(keys: readonly DemoKey[]): string {
  return keys.map((key) => `${key}=${DEMO_VIEWS[key]}`).join(',');
}

async function seesExamples(table: Table, key: DemoKey): Promise<boolean> {
  const [record, user] = await Promise.all([
    findKey(table, digestOf(key)),
    readUser(table, DEMO_KEYS[key], new CommitReader(table)),
  ]);
  const isValid = record !== undefined && explainInvalid(record, Date.now()) === undefined;
  return isValid && user?.accountIds.includes(DEMO_EXAMPLES.accountId) === true;
}
