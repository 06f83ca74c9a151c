import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openDataDir } from '../../../infra/local/data-dir.ts';
import { DEMO_USER_ID_KEY } from '../../../infra/local/demo/demo-keys.ts';
import { loadPlannedDemo, planDemo } from '../../../infra/local/first-start.ts';
import { writeDemoFiles } from '../../../infra/local/load-demo.ts';
import { openLocalTable } from '../../../infra/local/local-stage.ts';
import { loadFolder } from '../../../shared/load/load-folder.ts';

test('the first start loads the newest days of the demo, and then the older ones, which together are the whole demo', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'endcap-first-'));
  const dataDir = openDataDir(folder);
  const { table, close } = await openLocalTable();
  const end = '2026-03-01';
  const target = { table, timeZone: 'UTC' };
  const loaded = await loadPlannedDemo(dataDir, target, planDemo(dataDir, end), { say: () => undefined });
  expect({ end: loaded?.end, next: planDemo(dataDir, end) }).toEqual({ end, next: { end, begun: true } });
  await loaded?.loadOlder?.();
  expect(await loadPlannedDemo(dataDir, target, planDemo(dataDir, end), { say: () => undefined })).toEqual({ end });

  using files = await writeDemoFiles(join(folder, 'whole'), end);
  const { outcome } = await loadFolder({ ...target, folder: files.folder, userIdKey: async () => DEMO_USER_ID_KEY });
  expect(outcome).toBe('unchanged');
  await close();
  rmSync(folder, { recursive: true, force: true });
});
