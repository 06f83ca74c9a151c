import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { loadFolder } from '../../../shared/load/load-folder.ts';
import { useEngine } from '../../support/use-engine.ts';
import { userIdKey } from '../../support/user-id-key.ts';
import { makeFolder } from '../support/folder.ts';
import { tableWith } from '../support/load-rows.ts';
import { EXPECTED, FACTS, NETWORK } from '../support/network-rows.ts';
import { readStoredNetwork } from '../support/read-stored-network.ts';

const engine = useEngine();

test('warns of a fact file without rows that is named after a day or month, and points to the deletions file', async () => {
  const table = await tableWith(engine, { ...NETWORK, ...FACTS });
  using folder = makeFolder();
  const header = 'daily_date,hour,ad_group_id,live_seconds,scheduled_seconds\n';
  folder.write('facts/pla/activity-2026-03-02.csv', header);
  folder.write('facts/pla/activity-2026-03-03.csv', `${header}2026-03-03,1,1000,1,1\n`);
  folder.write('facts/toa/activity_202603.csv', header);
  folder.write('facts/carousel/activity-1.csv', header);
  const report = await loadFolder({ userIdKey, folder: folder.path, table, timeZone: 'UTC' });
  const why = 'no rows: no day is emptied, and facts loaded before stay; to empty days, list them in a deletions file';
  expect(report.warnings.toSorted()).toEqual([
    'facts/carousel/activity*: no rows',
    `facts/pla/activity-2026-03-02.csv: ${why}`,
    `facts/toa/activity_202603.csv: ${why}`,
  ]);
  expect((await readStoredNetwork(table)).facts['pla activity 10 2026-03-02']).toEqual(
    EXPECTED.facts['pla activity 10 2026-03-02'],
  );
});

test('skips a gzipped part of 0 bytes beside others', async () => {
  const table = await tableWith(engine, NETWORK);
  using folder = makeFolder();
  folder.write('facts/pla/delivery/0.csv.gz', gzipSync(''));
  folder.write('facts/pla/delivery/1.csv.gz', gzipSync('daily_date,hour,ad_group_id\n2026-03-01,0,1000\n'));
  const report = await loadFolder({ userIdKey, folder: folder.path, table, timeZone: 'UTC' });
  expect(report).toMatchObject({ outcome: 'loaded', facts: [{ rows: 1 }] });
  expect(report.warnings).toEqual(['facts/pla/delivery/0.csv.gz: is empty, and skipped']);
});
