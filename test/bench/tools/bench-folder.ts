import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type FactTable, measureOf } from '../../../shared/catalog/tables.ts';
import { dayNumber, formatDay } from '../../../shared/lib/calendar.ts';
import { factColumns } from '../../../shared/load/schema/fact-columns.ts';
import { writeLoadFile } from '../../real/write-folder.ts';
import type { PlainFacts } from '../../support/encode-fact-rows.ts';
import { SHAPE } from './generate-facts.ts';

/** The advertiser that all generated facts belong to. */
export const ADVERTISER_ID = 1;
/** The first day of generated facts, so early that 10 M rows end before today; the 30 days from here are in two months. */
const FIRST_DATE = '2025-03-16';

/** A folder to load, which is removed when it is disposed of. */
export interface BenchFolder extends Disposable {
  readonly path: string;
}

/** @returns a folder with the listing files that the generated facts refer to */
export function makeBenchFolder(): BenchFolder {
  const path = mkdtempSync(join(tmpdir(), 'endcap-bench-'));
  for (const [name, rows] of Object.entries(LISTINGS)) writeLoadFile(path, `${name}.ndjson`, rows);
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

/** @returns the date, `YYYY-MM-DD`, of day n of the generated facts; day 0 is FIRST_DATE */
export function dateOf(n: number): string {
  return formatDay(dayNumber(FIRST_DATE) + n);
}

/** @returns the numbers of `count` days from day `first` on */
export function daysFrom(first: number, count: number): number[] {
  return Array.from({ length: count }, (_, i) => first + i);
}

/**
 * Writes facts of pla as a CSV file with all key and measure columns.
 * @param days the numbers n of the days, see `dateOf`
 * @param generate returns the rows of day n
 * @param shoppersOf returns the user ids of a row; without it, the file has no users column
 * @returns the file's path
 */
export function writeFactsCsv(
  folder: BenchFolder,
  table: FactTable,
  days: readonly number[],
  generate: (n: number) => PlainFacts,
  shoppersOf?: (n: number, row: number) => readonly string[],
): string {
  const path = join(folder.path, `facts/pla/${table}.csv`);
  mkdirSync(dirname(path), { recursive: true });
  const columns = factColumns(table).filter(({ role }) => role !== 'users' || shoppersOf !== undefined);
  const file = openSync(path, 'w');
  writeSync(file, `${columns.map(({ name }) => name).join(',')}\n`);
  for (const n of days) {
    const facts = generate(n);
    const date = dateOf(n);
    const cells = columns.map((column): ((row: number) => unknown) => {
      if (column.role === 'users') return (row) => (shoppersOf?.(n, row) ?? []).join('|');
      if (column.role === 'measure')
        return (row) => (facts.measures.get(column.measure)?.[row] ?? 0) / measureOf(column.measure).scale;
      if (column.key === 'date') return () => date;
      return (row) => facts.keys.get(column.key)?.[row] ?? '';
    });
    let text = '';
    for (let row = 0; row < facts.rows; row++) text += `${cells.map((cell) => cell(row)).join(',')}\n`;
    writeSync(file, text);
  }
  closeSync(file);
  return path;
}

const repeat = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));

const AD_GROUPS_PER_CAMPAIGN = 10;

const LISTINGS = {
  accounts: [{ id: 1, name: 'Northwind Foods' }],
  advertisers: [{ id: ADVERTISER_ID, name: 'Northwind', accountId: 1 }],
  placements: repeat(SHAPE.placements, (i) => ({ id: 1 + i, name: `Placement ${1 + i}`, experiences: ['pla'] })),
  campaigns: repeat(SHAPE.adGroups / AD_GROUPS_PER_CAMPAIGN, (i) => ({
    id: 600 + i,
    name: `Campaign ${i}`,
    advertiserId: ADVERTISER_ID,
    status: 'ACTIVE',
    startDate: '2026-01-01',
  })),
  ad_groups: repeat(SHAPE.adGroups, (i) => ({
    id: 7_000 + i,
    name: `Ad group ${i}`,
    campaignId: 600 + Math.floor(i / AD_GROUPS_PER_CAMPAIGN),
    status: 'ACTIVE',
    startDate: '2026-01-01',
  })),
  creatives: repeat(SHAPE.creatives, (i) => ({ key: `cr-${i}`, name: `Creative ${i}`, advertiserId: ADVERTISER_ID })),
};
