import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { expect, test } from 'vitest';
import { loadFolder } from '../../shared/load/load-folder.ts';
import { codeBlocksOf } from '../rules/pages.ts';
import { useEngine } from '../support/use-engine.ts';
import { userIdKey } from '../support/user-id-key.ts';
import { makeFolder } from './support/folder.ts';

const PAGE = 'shared/load/from-your-ad-server.md';
const BLOCKS = codeBlocksOf(PAGE);
const SCRIPTS = BLOCKS.filter(({ language }) => language === 'sh').map(({ text }) => text);
const [SQL = ''] = BLOCKS.filter(({ language }) => language === 'sql').map(({ text }) => text);
const engine = useEngine();

/** Runs the page's query over a table as it expects it, and writes its rows as Parquet into the folder. */
async function exportDelivery(folder: string): Promise<void> {
  const [, select = ''] = /FROM \(\n(.*?)\n\)/s.exec(SQL) ?? [];
  mkdirSync(join(folder, 'facts/pla/delivery'), { recursive: true });
  const duckdb = await (await DuckDBInstance.create(':memory:')).connect();
  await duckdb.run(`CREATE TABLE hourly_delivery AS SELECT * FROM (VALUES
    (TIMESTAMP '2026-02-27 09:00:00', '7f0c2b1e-52a4-4a7e-9d7b-0f3d5a1c9e11', 1200, 15, 9750000),
    (TIMESTAMP '2026-02-27 10:00:00', '7f0c2b1e-52a4-4a7e-9d7b-0f3d5a1c9e11', 800, 12, 7200000)
  ) rows(event_hour, ad_group_id, impressions, clicks, spend_micros)`);
  await duckdb.run(`COPY (${select}) TO '${join(folder, 'facts/pla/delivery/data_0.parquet')}' (FORMAT parquet)`);
  duckdb.closeSync();
}

test.each([
  ['Google Ad Manager', 'toa', SCRIPTS[0]],
  ['Kevel', 'pla', SCRIPTS[1]],
  ['a warehouse', 'pla', SCRIPTS[2]],
])('the folder of the page for %s loads as it is written there', async (source, experience, script = '') => {
  using parent = makeFolder();
  execFileSync('sh', ['-eu', '-c', script], { cwd: parent.path });
  const folder = join(parent.path, readdirSync(parent.path)[0] ?? '');
  if (source === 'a warehouse') await exportDelivery(folder);
  const { table } = await engine.createTable();
  const { warnings, ...report } = await loadFolder({ folder, table, userIdKey, timeZone: 'America/New_York' });
  expect(report).toMatchObject({
    outcome: 'loaded',
    problems: [],
    facts: [{ experience, table: 'delivery', rows: 2, days: 1 }],
    changes: [{ impressions: { after: 2000 }, cost: { after: 16.95 } }],
  });
  expect(warnings.filter((text) => !text.includes('ids are texts'))).toEqual([]);
});

test('the page has one folder for each', () => {
  expect(SCRIPTS).toHaveLength(3);
});
