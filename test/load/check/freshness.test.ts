import { expect, test } from 'vitest';
import { decodeKeys, expandKeys } from '../../../shared/columns/coded-keys.ts';
import { PLATFORM_ID } from '../../../shared/layout/partitions.ts';
import { readCommit } from '../../../shared/store/commit/commits.ts';
import { openSegmentSource } from '../../../shared/store/segment-source.ts';
import type { Table } from '../../../shared/store/table/table.ts';
import { useEngine } from '../../support/use-engine.ts';
import { loadRows, outcomeOf, tableWith } from '../support/load-rows.ts';
import { FACTS, type FolderRows, NETWORK } from '../support/network-rows.ts';

const engine = useEngine();

/** @returns the columns of the platform's dimension table of freshness, undefined if there is none */
async function readFreshness(table: Table): Promise<object | undefined> {
  const source = openSegmentSource(table, await readCommit(table));
  const columns = ['key', 'experience', 'advertiserId', 'completeThrough'];
  const found = (await source.dimensionTables('freshness', [PLATFORM_ID], columns)).get(PLATFORM_ID);
  const values = [...(found?.columns ?? [])].map(([name, bytes]) => [name, expandKeys(decodeKeys(bytes, name))]);
  return found && Object.fromEntries(values);
}

const row = (experience: string, advertiserId: number | '', day: number) => {
  return { experience, advertiserId, completeThrough: `2026-03-${String(day).padStart(2, '0')}` };
};

test('freshness is a table of the platform, by experience and advertiser, rows for all advertisers first', async () => {
  const advertisers = [9, 10, 11, 200].map((id) => ({ id, name: `A${id}`, accountId: 1 }));
  const freshness = [row('toa', 9, 1), row('pla', 200, 2), row('pla', 9, 3), row('pla', '', 4), row('pla', 10, 5)];
  const table = await tableWith(engine, { ...NETWORK, advertisers, freshness });
  expect(await readFreshness(table)).toEqual({
    key: ['pla/', 'pla/9', 'pla/10', 'pla/200', 'toa/9'],
    experience: ['pla', 'pla', 'pla', 'pla', 'toa'],
    advertiserId: [null, 9, 10, 200, 9],
    completeThrough: ['2026-03-04', '2026-03-03', '2026-03-05', '2026-03-02', '2026-03-01'],
  });
});

test('a row of a fact table has a key of its own', async () => {
  const ofTable = { experience: 'pla', table: 'conversions', completeThrough: '2026-03-04' };
  const table = await tableWith(engine, { ...NETWORK, freshness: [ofTable, row('pla', '', 2), row('pla', 10, 1)] });
  expect(await readFreshness(table)).toMatchObject({
    key: ['pla/', 'pla//conversions', 'pla/10'],
    completeThrough: ['2026-03-02', '2026-03-04', '2026-03-01'],
  });
});

test('a freshness file replaces the whole listing, and one without rows removes it', async () => {
  const table = await tableWith(engine, { ...NETWORK, freshness: [row('pla', 10, 1), row('toa', '', 2)] });
  expect(await outcomeOf({ freshness: [row('pla', 11, 3)] }, table)).toEqual(['loaded']);
  expect(await readFreshness(table)).toMatchObject({ key: ['pla/11'], completeThrough: ['2026-03-03'] });
  expect(await outcomeOf({ freshness: [row('pla', 11, 3)] }, table)).toEqual(['unchanged']);
  expect(await outcomeOf({ freshness: [] }, table)).toEqual(['loaded']);
  expect(await readFreshness(table)).toBeUndefined();
});

test('a day after the latest one with delivery, stored or loaded with it, is a warning', async () => {
  const table = await tableWith(engine, { ...NETWORK, ...FACTS });
  const warningsOf = async (rows: FolderRows) => {
    const freshness = [row('pla', '', 4), row('pla', 10, 3), row('carousel', 10, 1)];
    const { warnings } = await loadRows({ freshness, ...rows }, table);
    return warnings.filter((warning) => warning.includes('completeThrough'));
  };
  const late = 'freshness.ndjson: completeThrough 2026-03-04 in pla is after 2026-03-03, the latest day with delivery';
  expect(await warningsOf({})).toEqual([late]);
  const [delivered] = FACTS['facts/pla/delivery'] ?? [];
  const nextDay = { 'facts/pla/delivery': [{ ...delivered, daily_date: '2026-03-04' }] };
  expect(await warningsOf(nextDay)).toEqual([]);
  expect(await warningsOf({ freshness: [row('toa', '', 1)] })).toEqual([]); // it has no delivery yet
});
