import { expect, test } from 'vitest';
import { readAudit } from '../../shared/store/audit-trail.ts';
import { useTable } from '../support/use-engine.ts';
import { loadRows } from './support/load-rows.ts';
import { FACTS, type FolderRows, NETWORK } from './support/network-rows.ts';

const made = useTable();
let now = Date.parse('2026-03-10T12:00:00Z');

async function load(rows: FolderRows): Promise<void> {
  now += 60_000;
  await loadRows(rows, made.table, { limits: { threads: 0 }, clock: () => now, actor: 'local user ana' });
}

test('the audit records who loaded which folder, and which listings and days changed; a load that changes nothing has no entry', async () => {
  await load({ ...NETWORK, ...FACTS });
  await load({ ...NETWORK, ...FACTS });
  const renamed = NETWORK.contacts?.map((contact) => ({ ...contact, lastName: 'Ng' })) ?? [];
  const delivery = FACTS['facts/pla/delivery'] ?? [];
  const changed = delivery.map((row) => (row.daily_date === '2026-03-02' ? { ...row, impressions: 70 } : row));
  await load({ ...NETWORK, contacts: renamed, 'facts/pla/delivery': changed });
  await load({ deletions: [{ experience: 'pla', table: 'delivery', day: '2026-03-02' }] });
  const entries = await readAudit(made.table, now - 86_400_000, now);
  const loadedFolder = expect.stringContaining('endcap-test-load-');
  expect(entries.map(({ actor, action, subject }) => [actor, action, subject])).toEqual(
    entries.map(() => ['local user ana', 'load', loadedFolder]),
  );
  const [first, second, third, ...more] = entries.map(({ at, details }) => ({ at: at.slice(11, 16), ...details }));
  expect(more).toEqual([]);
  expect(first).toMatchObject({ at: '12:01', listings: expect.arrayContaining(['accounts', 'users']) });
  expect(Object.keys(Object(first).facts)).toContain('pla/delivery');
  const seconds = expect.any(Number);
  const days = ['2026-03-02'];
  expect(second).toEqual({
    ...{ at: '12:03', listings: ['contacts'], warnings: 2, seconds },
    facts: {
      'pla/delivery': {
        ...{ loaded: days, emptied: [], rows: { before: 3, after: 3 } },
        cost: { before: 12345.978901, after: 12345.978901 },
      },
    },
  });
  expect(third).toEqual({
    ...{ at: '12:04', listings: [], warnings: 0, seconds },
    facts: {
      'pla/delivery': {
        ...{ loaded: [], emptied: days, rows: { before: 3, after: 0 } },
        cost: { before: 12345.978901, after: 0 },
      },
    },
  });
});
