import { createKey, revokeKey } from '../../../shared/identity/api-keys.ts';
import type { Table } from '../../../shared/store/table/table.ts';
import type { KeyName } from '../target.ts';

/** @returns the keys that the suites use with the demo network, two of which are created here */
export async function createDemoKeys(table: Table): Promise<ReadonlyMap<KeyName, string>> {
  const other = await createKey(table, 'osprey-row');
  const revoked = await createKey(table, 'osprey-row');
  await revokeKey(table, 'osprey-row', revoked.record.id);
  return new Map([
    ['agency', 'ecap_demo_agency'],
    ['cpg', 'ecap_demo_cpg'],
    ['other', other.key],
    ['revoked', revoked.key],
  ]);
}
