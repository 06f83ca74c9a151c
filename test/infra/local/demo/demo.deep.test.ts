import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { generateDemo } from '../../../../infra/local/demo/generate-demo.ts';
import { EXPERIENCES } from '../../../../shared/catalog/tables.ts';
import { describeFacts } from './facts.ts';
import { describeLife } from './lifelike.ts';
import { describeListings } from './listings.ts';
import { hashFiles, readDemo, readRows } from './read-demo.ts';

const root = mkdtempSync(join(tmpdir(), 'endcap-demo-'));
const folder = join(root, 'demo');
const END = '2026-06-30';
const files = await generateDemo(folder, END);
const demo = readDemo(folder, '2026-04-02', END);

afterAll(() => rmSync(root, { recursive: true }));

test('the same last day gives the same bytes', async () => {
  const again = join(root, 'again');
  await generateDemo(again, END);
  expect(hashFiles(again)).toEqual(hashFiles(folder));
});

test('another last day gives other days of the same network', async () => {
  const winter = join(root, 'winter');
  const rows = await generateDemo(winter, '2025-02-28');
  const days = readRows<{ daily_date: string }>(winter, 'facts/pla/activity').map((row) => row.daily_date);
  expect([days[0], days.at(-1)]).toEqual(['2024-12-01', '2025-02-28']);
  const deliveries = EXPERIENCES.map((experience) => rows[`facts/${experience}/delivery`] ?? 0);
  expect(deliveries.reduce((sum, count) => sum + count, 0)).toBeGreaterThan(200_000);
  for (const name of ['accounts', 'advertisers', 'products', 'contacts', 'addresses', 'users']) {
    expect(hashFiles(winter)[`${name}.ndjson`]).toBe(hashFiles(folder)[`${name}.ndjson`]);
  }
});

test('the newest days and the older ones together are all rows of the demo', async () => {
  const [newest, older] = [join(root, 'newest'), join(root, 'older')];
  await generateDemo(newest, END, [-13, 0]);
  await generateDemo(older, END, [-89, -14]);
  const sorted = (rows: readonly object[]) => rows.map((row) => JSON.stringify(row)).sort();
  for (const name of Object.keys(files).filter((file) => file.startsWith('facts/'))) {
    expect(sorted([...readRows<object>(older, name), ...readRows<object>(newest, name)])).toEqual(
      sorted(readRows(folder, name)),
    );
  }
});

test('the number of rows of every file is returned', () => {
  const names = Object.keys(hashFiles(folder)).map((file) => file.replace('.ndjson', ''));
  const rows = names.map((name) => [name, readRows(folder, name).length]);
  expect(files).toEqual(Object.fromEntries(rows));
});

describe('the listings', () => describeListings(demo));
describe.each(EXPERIENCES)('the facts of %s', (experience) => describeFacts(experience, demo));
describe('the demo as a whole', () => describeLife(demo));
