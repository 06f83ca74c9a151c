import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadFolder } from '../../shared/load/load-folder.ts';
import { useEngine } from '../support/use-engine.ts';
import { userIdKey } from '../support/user-id-key.ts';
import { makeFolder } from './support/folder.ts';

const PAGE = readFileSync(new URL('../../shared/load/README.md', import.meta.url), 'utf8');
const engine = useEngine();

test('the minimal folder of the page loads as it is written there, without a warning', async () => {
  const [, script = ''] = /## A minimal folder\n.*?```sh\n(.*?)```/s.exec(PAGE) ?? [];
  using parent = makeFolder();
  execFileSync('sh', ['-eu', '-c', script], { cwd: parent.path });
  const { table } = await engine.createTable();
  const folder = join(parent.path, 'my-files');
  const report = await loadFolder({ folder, table, userIdKey, timeZone: 'America/New_York' });
  expect(report).toMatchObject({ outcome: 'loaded', warnings: [], problems: [] });
  expect(report.listings.map(({ listing, rows }) => [listing, rows]).sort()).toEqual([
    ['accounts', 1],
    ['ad_groups', 1],
    ['advertisers', 1],
    ['campaigns', 1],
    ['users', 1],
  ]);
  expect(report.facts).toEqual([
    { experience: 'pla', table: 'conversions', rows: 1, days: 1 },
    { experience: 'pla', table: 'delivery', rows: 2, days: 2 },
  ]);
});
