import { describe, expect, test } from 'vitest';
import type { RollupData } from '../../../shared/columns/rollup-tables.ts';
import type { EncodedRollup, MonthRef } from '../../../shared/layout/partitions.ts';
import type { SegmentSource } from '../../../shared/layout/segment-reads.ts';
import { beginCommit, readCommit } from '../../../shared/store/commit/commits.ts';
import { FactWriter } from '../../../shared/store/facts/fact-writer.ts';
import { readOf } from '../../../shared/store/facts/stored-rollups.ts';
import { openSegmentSource } from '../../../shared/store/segment-source.ts';
import type { Meter } from '../../../shared/store/table/table.ts';
import { useTablePerTest } from '../../support/use-engine.ts';
import { dayOf, randomBytes } from '../fact-days.ts';
import { digestBytes } from '../sample-load.ts';

const APRIL: MonthRef = { advertiserId: 7, experience: 'pla', month: '2026-04' };

describe('rollups', () => {
  const made = useTablePerTest();

  const openSource = async (): Promise<SegmentSource> => openSegmentSource(made.table, await readCommit(made.table));

  /** Changes one day of the month and writes the month's rollup, if any. */
  const loadMonth = async (month: string, seed: number, rollup?: RollupData) => {
    const writer = await beginCommit(made.table, { owner: 'the test' });
    const facts = new FactWriter(writer);
    await facts.writeDay({ ...APRIL, table: 'delivery', month }, 1, dayOf(seed, { clicks: 20 }));
    if (rollup !== undefined) await facts.writeRollup({ ...APRIL, month }, rollup);
    await facts.finish();
    await writer.finish();
    return writer.n;
  };

  const ROWS = new Map([['delivery', 3]] as const);

  const rollupOf = (packed: Uint8Array, columns: ReadonlyMap<string, Uint8Array> = new Map()): RollupData => {
    return { rows: ROWS, packed, columns };
  };

  const sampleOf = (seed: number, bytes: number): RollupData => {
    const columns = new Map([
      ['delivery/users_0', randomBytes(seed + 1, 360_000)],
      ['delivery/users_1', randomBytes(seed + 2, 5)],
    ]);
    return rollupOf(randomBytes(seed, bytes), columns);
  };

  const whole = (data: RollupData) => digestBytes(partsOf(data));
  const packedOnly = ({ packed }: RollupData) => digestBytes({ packed, columns: [] });
  const partsOf = ({ packed, columns }: EncodedRollup) => ({ packed, columns: [...columns] });

  const readMonth = async (month: string, columns: readonly string[]) => {
    const source = await openSource();
    const entry = (await source.factHeads([7])).get(7)?.rollups?.get('pla')?.get(month);
    if (entry === undefined) return undefined;
    const reads = [{ ...readOf({ ref: { ...APRIL, month }, entry }), columns }];
    const found = [];
    for await (const { encoded } of source.rollups(reads)) found.push(partsOf(encoded));
    expect(found).toHaveLength(1);
    return digestBytes(found[0]);
  };

  test('rollups are read as they were written, with the requested columns', async () => {
    const n = await loadMonth('2026-04', 1, sampleOf(1, 400_000));
    await loadMonth('2026-05', 2, sampleOf(2, 30));
    const columns = new Map([
      ['delivery/users_0', 360_000],
      ['delivery/users_1', 5],
    ]);
    const heads = await (await openSource()).factHeads([7]);
    expect(heads.get(7)?.rollups?.get('pla')?.get('2026-04')).toEqual({
      version: n,
      rows: ROWS,
      bytes: 400_000,
      columns,
    });
    expect(await readMonth('2026-04', [])).toEqual(packedOnly(sampleOf(1, 400_000)));
    const all = ['delivery/users_0', 'delivery/users_1'];
    expect(await readMonth('2026-04', [...all, 'other'])).toEqual(whole(sampleOf(1, 400_000)));
    expect(await readMonth('2026-05', all)).toEqual(whole(sampleOf(2, 30)));
  });

  test('a month whose facts change has only the rollups that the same load writes, or none', async () => {
    await loadMonth('2026-04', 1, sampleOf(1, 50));
    await loadMonth('2026-05', 1, sampleOf(1, 60));
    await loadMonth('2026-04', 2, sampleOf(2, 70));
    expect(await readMonth('2026-04', [])).toEqual(packedOnly(sampleOf(2, 70)));
    await loadMonth('2026-04', 3);
    expect(await readMonth('2026-04', [])).toBeUndefined();
    expect(await readMonth('2026-05', [])).toEqual(packedOnly(sampleOf(1, 60)));
  });

  test('reading 12 months of 10 advertisers takes one call for the heads and two for the rollups', async () => {
    const months = Array.from({ length: 12 }, (_, index) => `2026-${String(index + 1).padStart(2, '0')}`);
    const advertisers = Array.from({ length: 10 }, (_, index) => index + 1);
    const all = advertisers.flatMap((advertiserId) =>
      months.map((month): MonthRef => ({ ...APRIL, advertiserId, month })),
    );
    const writer = await beginCommit(made.table, { owner: 'the test' });
    const facts = new FactWriter(writer);
    for (const ref of all) {
      await facts.writeDay({ ...ref, table: 'delivery' }, 1, dayOf(1, { clicks: 20 }));
      await facts.writeRollup(ref, rollupOf(randomBytes(ref.advertiserId, 500)));
    }
    await facts.finish();
    await writer.finish();
    const meter: Meter = { readUnits: 0, writeUnits: 0, calls: 0 };
    const source = openSegmentSource(made.table.metered(meter), await readCommit(made.table));
    const heads = await source.factHeads(advertisers);
    expect(meter.calls).toBe(1);
    const wanted = all.flatMap((ref) => {
      const entry = heads.get(ref.advertiserId)?.rollups?.get('pla')?.get(ref.month);
      return entry === undefined ? [] : [readOf({ ref, entry })];
    });
    const read = [];
    for await (const {
      read: { ref },
      encoded,
    } of source.rollups(wanted))
      read.push({ ref, packed: encoded.packed });
    expect(read).toEqual(all.map((ref) => ({ ref, packed: randomBytes(ref.advertiserId, 500) })));
    expect(meter).toMatchObject({ calls: 3, readUnits: 10 + 120 / 2 }); // a consistent read per head, an eventually consistent one per rollup
  });

  test('a report throws STORE_INCONSISTENT, with the keys for the log, if part of a rollup is missing', async () => {
    await loadMonth('2026-04', 1, sampleOf(1, 400_000));
    await made.table.deleteMany(
      (await made.content()).filter(({ pk, sk }) => pk.endsWith('04#*') && sk.endsWith('#0001')),
    );
    await expect(readMonth('2026-04', [])).rejects.toMatchObject({
      code: 'STORE_INCONSISTENT',
      cause: { message: expect.stringMatching(/^incomplete data: ROLLUP#\S+04#\* \/ \S+#0001$/) },
    });
  });
});
