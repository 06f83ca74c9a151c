import { expect, test } from 'vitest';
import { loadFolder } from '../../shared/load/load-folder.ts';
import { readAudit } from '../../shared/store/audit-trail.ts';
import { readCommit } from '../../shared/store/commit/commits.ts';
import { checkDataSettings, type DataSettings } from '../../shared/store/data-settings.ts';
import type { Table } from '../../shared/store/table/table.ts';
import { folderOf } from '../load/support/folder.ts';
import { FACTS, NETWORK } from '../load/support/network-rows.ts';
import { useTablePerTest } from '../support/use-engine.ts';

const made = useTablePerTest();
const NOON = Date.parse('2026-03-02T12:00:00Z');
const FIRST = { currency: 'USD', timeZone: 'UTC', productIds: 'upc', attribution: '{"pla":14}' } as const;
const userIdKey = async () => new Uint8Array(16);

async function load(table: Table, change: Partial<Parameters<typeof loadFolder>[0]> = {}): Promise<string> {
  using folder = folderOf({ ...NETWORK, ...FACTS });
  const report = await loadFolder({ ...FIRST, folder: folder.path, table, userIdKey, clock: () => NOON, ...change });
  return report.outcome;
}

test.each([
  ['currency', 'EUR', 'USD'],
  ['timeZone', 'Europe/Berlin', 'UTC'],
  ['productIds', 'text', 'upc'],
])(
  'a load with another %s than the first one changes nothing, and its error names the way out',
  async (name, value, before) => {
    expect(await load(made.table)).toBe('loaded');
    const commit = await readCommit(made.table);
    const reason = `the setting ${name} is ${value}, but the data in this table was loaded with ${before}: set ${name} to ${before} again, or load all data into a new table (on this machine, with another DATA_DIR)`;
    await expect(load(made.table, { [name]: value })).rejects.toThrow(reason);
    await expect(load(made.table, { [name]: value, check: true })).rejects.toThrow(reason);
    expect(await readCommit(made.table)).toEqual(commit);
    expect(await load(made.table)).toBe('unchanged');
  },
);

test('a setting is compared once a load has recorded it, and a check records nothing', async () => {
  const check = async (settings: DataSettings) => checkDataSettings(made.table, await readCommit(made.table), settings);
  await load(made.table, { check: true });
  await check({ currency: 'EUR' });
  await load(made.table, { currency: undefined });
  await check({ currency: 'EUR', timeZone: 'UTC' });
  await load(made.table);
  await expect(check({ currency: 'EUR' })).rejects.toThrow('the setting currency is EUR');
  expect(await check({})).toMatchObject(FIRST);
});

test('the audit has the day of a changed attribution', async () => {
  const changes = async () => {
    const entries = await readAudit(made.table, NOON, NOON);
    return entries.filter(({ action }) => action === 'load attribution').map(({ at, details }) => ({ at, ...details }));
  };
  await load(made.table);
  await load(made.table);
  expect(await changes()).toEqual([]);
  await load(made.table, { attribution: '{"pla":30}' });
  await load(made.table, { attribution: '{"pla":30}' });
  expect(await changes()).toEqual([{ at: '2026-03-02T12:00:00.000Z', before: { pla: 14 }, after: { pla: 30 } }]);
});
