import { describe, expect, test } from 'vitest';
import type { PartitionRef } from '../../../shared/layout/partitions.ts';
import { beginCommit, readCommit } from '../../../shared/store/commit/commits.ts';
import { FactWriter } from '../../../shared/store/facts/fact-writer.ts';
import { openSegmentSource } from '../../../shared/store/segment-source.ts';
import type { Meter } from '../../../shared/store/table/table.ts';
import { useTablePerTest } from '../../support/use-engine.ts';
import { dayOf } from '../fact-days.ts';

const MAY: PartitionRef = { advertiserId: 7, experience: 'pla', table: 'delivery', month: '2026-05' };

const made = useTablePerTest();

describe('reading some days of a month', () => {
  /** @returns the days that were read, and what it cost, of a month whose days have `bytes` of clicks each */
  const readSome = async (bytes: number, days: readonly number[]) => {
    const writer = await beginCommit(made.table, { owner: 'the test' });
    const facts = new FactWriter(writer);
    for (let day = 1; day <= 31; day++) await facts.writeDay(MAY, day, dayOf(day, { clicks: bytes }));
    await facts.finish();
    await writer.finish();
    const state = await readCommit(made.table);
    const [manifest] = await openSegmentSource(made.table, state).manifests([MAY]);
    const meter: Meter = { readUnits: 0, writeUnits: 0, calls: 0 };
    const source = openSegmentSource(made.table.metered(meter), state);
    const wanted = manifest?.runs.filter(({ day }) => days.includes(day)) ?? [];
    const read: number[] = [];
    for await (const { run, columns } of source.runs([{ ref: MAY, runs: wanted, columns: ['clicks'] }])) {
      expect(columns.get('clicks')).toHaveLength(bytes);
      read.push(run.day);
    }
    return { read, meter };
  };

  /** Once, a filter on two dates of each month cost 15 times the bytes that the report needed, and that the cost guard counted. */
  test('skips large days between the requested ones', async () => {
    const days = [1, 2, 16, 31];
    const { read, meter } = await readSome(80_000, days);
    expect(read).toEqual([16, 31, 1, 2]); // by key first
    // days 16 and 31 in one call, days 1 and 2 in one Query; 80 KB = 10 read units per day
    expect(meter.calls).toBe(2);
    expect(meter.readUnits).toBeLessThanOrEqual(days.length * 10 + 3); // each call may round up
  });

  test('takes one Query if the days between them are small', async () => {
    const days = [1, 3, 5, 9, 15];
    const { read, meter } = await readSome(3_000, days);
    expect(read).toEqual(days);
    expect(meter.calls).toBe(1);
  });
});

test('packs of several partitions are read with one call, and each yields its own days', async () => {
  const writer = await beginCommit(made.table, { owner: 'the test' });
  const facts = new FactWriter(writer);
  const refs = [1, 2, 3].map((advertiserId) => ({ ...MAY, advertiserId }));
  for (const ref of refs) {
    for (let day = 1; day <= ref.advertiserId; day++)
      await facts.writeDay(ref, day, dayOf(10 * ref.advertiserId + day, { clicks: 60 }));
  }
  await facts.finish();
  await writer.finish();
  const state = await readCommit(made.table);
  const manifests = await openSegmentSource(made.table, state).manifests(refs);
  const meter: Meter = { readUnits: 0, writeUnits: 0, calls: 0 };
  const source = openSegmentSource(made.table.metered(meter), state);
  const read: unknown[] = [];
  for await (const { ref, run, columns } of source.runs(manifests.map((found) => ({ ...found, columns: ['clicks'] }))))
    read.push([ref.advertiserId, run.day, columns.get('clicks')]);
  const expected = [
    [1, 1],
    [2, 1],
    [2, 2],
    [3, 1],
    [3, 2],
    [3, 3],
  ] as const;
  expect(read).toEqual(
    expected.map(([advertiser, day]) => [
      advertiser,
      day,
      dayOf(10 * advertiser + day, { clicks: 60 }).content.columns.get('clicks')?.bytes,
    ]),
  );
  expect(meter).toMatchObject({ calls: 1, readUnits: 6 * 0.5 }); // one item per run
});
