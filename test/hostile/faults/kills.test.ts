import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createKey } from '../../../shared/identity/api-keys.ts';
import { dateOf, daysFrom, makeBenchFolder, writeFactsCsv } from '../../bench/tools/bench-folder.ts';
import { generateDelivery } from '../../bench/tools/generate-facts.ts';
import { writeLoadFile } from '../../real/write-folder.ts';
import { printFigures, randomOf, scaled } from '../support/budget.ts';
import { NO_LIMITS } from '../support/demo-requests.ts';
import { openRestartableStage, type RestartableStage } from '../support/restartable-stage.ts';

/** Half of them kill the service, which then starts again; the others kill the loader, and the next load waits for its lease. */
const KILLS = scaled(6);
const DAYS = daysFrom(0, 12);

let stage: RestartableStage;
const folders = [1, 2].map((version) => {
  const folder = makeBenchFolder();
  writeLoadFile(folder.path, 'users.ndjson', [{ userId: 'ana', name: 'Ana', userType: 'AGENCY', accountIds: [1] }]);
  writeFactsCsv(folder, 'delivery', DAYS, (day) => generateDelivery(100 * version + day, 1_500));
  return folder;
});
let url = '';

beforeAll(async () => {
  stage = await openRestartableStage({ demo: false });
  url = (await stage.start()).url;
});
afterAll(async () => {
  await stage.close();
  for (const folder of folders) folder[Symbol.dispose]();
});

/** @returns the rows that a client gets, or the status of the rejection */
async function readReport(): Promise<string> {
  const response = await fetch(`${url}/v2/report/pla`, {
    method: 'POST',
    headers: { 'Ocp-Apim-Subscription-Key': 'key-ana', 'Content-Type': 'application/json' },
    body: JSON.stringify({
      ...{ startDate: dateOf(0), endDate: dateOf(DAYS.length - 1), advertiserIds: [], filters: [], sort: [] },
      ...{
        dimensions: ['daily_date', 'placement'],
        metrics: ['impressions', 'cost'],
        pagination: { offset: 0, size: 2_000 },
      },
    }),
  });
  const { data, totals } = Object(await response.json());
  return response.status === 200 ? JSON.stringify({ data, totals }) : String(response.status);
}

test(`data survives ${KILLS} kills of service and loader at random moments of a load's writing, and a repeated load has the result of a single one`, async () => {
  const random = randomOf(400);
  const right: string[] = [];
  let maxDelayMs = 0;
  for (const { path } of folders) {
    const load = stage.load(path);
    expect(await load.writing).toBe(true);
    const started = performance.now();
    expect(await load.ended).toMatchObject({ code: 0 });
    maxDelayMs = performance.now() - started;
    if (right.length === 0) await createKey(await stage.table(), 'ana', { key: 'key-ana', ...NO_LIMITS });
    right.push(await readReport());
  }
  expect(new Set(right).size).toBe(2);
  const figures = { 'kills of the service': 0, 'kills of the loader': 0, 'loads that had committed': 0 };
  let current = 1;
  for (let i = 0; i < KILLS; i++) {
    const next = 1 - current;
    const load = stage.load(folders[next]?.path ?? '');
    expect(await load.writing).toBe(true);
    await sleep(random.next() * maxDelayMs);
    if (i % 2 === 0) {
      await stage.kill();
      figures['kills of the service'] += 1;
      const { code, err } = await load.ended;
      if (code !== 0) expect(err).not.toBe('');
      url = (await stage.start()).url;
    } else {
      load.kill();
      figures['kills of the loader'] += 1;
      await load.ended;
    }
    const seen = await readReport();
    expect(right).toContain(seen);
    if (seen === right[next]) figures['loads that had committed'] += 1;
    const again = await stage.load(folders[next]?.path ?? '').ended;
    expect(again, again.err).toMatchObject({ code: 0 });
    expect(await readReport()).toBe(right[next]);
    current = next;
  }
  printFigures('faults, kills', figures);
});
