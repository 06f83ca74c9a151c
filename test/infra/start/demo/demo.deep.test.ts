import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { generateDemo } from '../../../../infra/start/demo/generate-demo.ts';
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
  const deliveries = EXPERIENCES.map((experience) => rows[`facts/${experience}/delivery.ndjson.gz`] ?? 0);
  expect(deliveries.reduce((sum, count) => sum + count, 0)).toBeGreaterThan(200_000);
  for (const name of ['accounts', 'advertisers', 'products', 'contacts', 'addresses', 'users']) {
    expect(hashFiles(winter)[`${name}.ndjson.gz`]).toBe(hashFiles(folder)[`${name}.ndjson.gz`]);
  }
});

test('the number of rows of every file is returned', () => {
  const rows = Object.keys(hashFiles(folder)).map((file) => [
    file,
    readRows(folder, file.replace('.ndjson.gz', '')).length,
  ]);
  expect(files).toEqual(Object.fromEntries(rows));
});

describe('the listings', () => describeListings(demo));
describe.each(EXPERIENCES)('the facts of %s', (experience) => describeFacts(experience, demo));
describe('the demo as a whole', () => describeLife(demo));
