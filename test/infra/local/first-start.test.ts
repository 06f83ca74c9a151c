import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type DataDir, findRunningStage, openDataDir } from '../../../infra/local/data-dir.ts';
import { loadPlannedDemo, planDemo } from '../../../infra/local/first-start.ts';
import { openLocalTable } from '../../../infra/local/local-stage.ts';
import { yesterdayIn } from '../../../shared/lib/calendar.ts';
import { beginCommit } from '../../../shared/store/commit/commits.ts';
import { writeListing } from '../../../shared/store/listings/listings.ts';
import { allPlacements } from '../../../shared/store/table/item-keys.ts';

let folder: string;
let dataDir: DataDir;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'endcap-first-'));
  dataDir = openDataDir(folder);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('the demo network', () => {
  test('is planned on the first start', () => {
    expect(planDemo(dataDir, '2026-03-01')).toEqual({ end: '2026-03-01', begun: false });
  });

  test('is planned again, with its own last day, after a start that was interrupted while loading it', () => {
    dataDir.writeDemo({ state: 'begun', end: '2026-02-01' });
    expect(planDemo(openDataDir(folder), '2026-03-01')).toEqual({ end: '2026-02-01', begun: true });
  });

  test.each([{ state: 'loaded', end: '2026-02-01' } as const, { state: 'declined' } as const])(
    'is not planned if its state is %j',
    (state) => {
      dataDir.writeDemo(state);
      expect(planDemo(openDataDir(folder), '2026-03-01')).toBeUndefined();
    },
  );
});

test('data from before the first start stays, and the demo is neither generated nor offered again', async () => {
  const stage = await openLocalTable();
  const writer = await beginCommit(stage.table, { owner: 'test' });
  await writeListing(writer, allPlacements, () => [{ id: 1 }]);
  await writer.finish();
  const said: string[] = [];
  const demo = planDemo(dataDir, '2026-03-01');
  const loaded = await loadPlannedDemo(dataDir, { table: stage.table, timeZone: 'UTC' }, demo, {
    say: (text) => said.push(text),
  });
  await stage.close();
  expect({ loaded, said, state: dataDir.readDemo() }).toEqual({
    loaded: undefined,
    said: ['The data folder holds your data, so the demo network is not loaded.'],
    state: { state: 'declined' },
  });
});

test('a local stage counts as running if its table responds, and not if it was killed', async () => {
  const gone = { pid: 1, url: 'http://localhost:1', dynamodb: 'http://127.0.0.1:1', tableName: 'T', timeZone: 'UTC' };
  expect(await findRunningStage(folder)).toBeUndefined();
  dataDir.writeRunning(gone);
  expect(await findRunningStage(folder)).toBeUndefined();
  const stage = await openLocalTable();
  const running = { ...gone, dynamodb: stage.endpoint };
  dataDir.writeRunning(running);
  expect(await findRunningStage(folder)).toEqual(running);
  const ended = spawnSync(process.execPath, ['--version']); // another process uses the port of the one that was killed
  dataDir.writeRunning({ ...running, pid: ended.pid });
  expect(await findRunningStage(folder)).toBeUndefined();
  await stage.close();
});

test('a local stage that is too busy to respond counts as running', async () => {
  const silent = createServer().listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const { port } = Object(silent.address());
  const running = {
    pid: 1,
    url: 'http://localhost:1',
    dynamodb: `http://127.0.0.1:${port}`,
    tableName: 'T',
    timeZone: 'UTC',
  };
  dataDir.writeRunning(running);
  expect(await findRunningStage(folder)).toEqual(running);
  silent.close();
});

test.each([
  ['America/New_York', '2026-03-02T04:59:59Z', '2026-02-28'],
  ['America/New_York', '2026-03-02T05:00:00Z', '2026-03-01'],
  ['Asia/Tokyo', '2026-03-01T15:00:00Z', '2026-03-01'],
  ['UTC', '2026-01-01T00:00:00Z', '2025-12-31'],
])('in %s, the day before %s is %s', (timeZone, now, day) => {
  expect(yesterdayIn(timeZone, new Date(now))).toBe(day);
});
