import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadFolder } from '../../shared/load/load-folder.ts';
import { useEngine } from '../support/use-engine.ts';
import { userIdKey } from '../support/user-id-key.ts';

const PAGE = readFileSync(new URL('../../shared/load/README.md', import.meta.url), 'utf8');
const engine = useEngine();

test('the minimal folder of the page loads as the page writes it, without a warning', async () => {
  const [, script = ''] = /## A minimal folder\n.*?```sh\n(.*?)```/s.exec(PAGE) ?? [];
  const cwd = mkdtempSync(join(tmpdir(), 'endcap-minimal-'));
  try {
    execFileSync('sh', ['-eu', '-c', script], { cwd });
    const { table } = await engine.createTable();
    const folder = join(cwd, 'my-files');
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
  } finally {
    rmSync(cwd, { recursive: true, force: true });
  }
});
