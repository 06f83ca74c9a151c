import { describe, expect, test } from 'vitest';
import type { RollupRef } from '../../../shared/catalog/partitions.ts';
import type { SegmentSource } from '../../../shared/catalog/segment-source.ts';
import { beginCommit, readCommit } from '../../../shared/store/commit/commits.ts';
import { FactWriter } from '../../../shared/store/facts/fact-writer.ts';
import type { RollupData } from '../../../shared/store/facts/rollups.ts';
import { openSegmentSource } from '../../../shared/store/segment-source.ts';
import type { Meter } from '../../../shared/store/table/client.ts';
import { ENGINES } from '../../support/table.ts';
import { useTablePerTest } from '../../support/use-engine.ts';
import { dayOf, randomBytes } from '../fact-days.ts';
import { digestBytes } from '../sample-load.ts';

const APRIL: RollupRef = { advertiserId: 7, experience: 'pla', month: '2026-04' };

describe.each(ENGINES)('rollups on %s', (name) => {
  const made = useTablePerTest(name);

  const openSource = async (): Promise<SegmentSource> => openSegmentSource(made.table, await readCommit(made.table));

  /** Changes one day of the month and writes the month's rollup, if any. */
  const loadRolledUp = async (month: string, seed: number, rollup?: RollupData) => {
    const writer = await beginCommit(made.table, { owner: 'the test' });
    const facts = new FactWriter(writer);
    await facts.writeDay({ ...APRIL, table: 'delivery', month }, 1, dayOf(seed, { clicks: 20 }));
    if (rollup !== undefined) await facts.writeRollup({ ...APRIL, month }, rollup);
    await facts.finish([7]);
    await writer.finish();
    return writer.n;
  };

  const rollupOf = (seed: number, bytes: number): RollupData => ({
    packed: randomBytes(seed, bytes),
    users: new Map([
      ['delivery/users_0', randomBytes(seed + 1, 360_000)],
      ['delivery/users_1', randomBytes(seed + 2, 5)],
    ]),
  });

  const whole = ({ packed, users }: RollupData) => digestBytes({ packed, users: [...users] });
  const packedOnly = (packed: Uint8Array) => digestBytes({ packed, users: [] });

  const readRollup = async (month: string, users: readonly string[]) => {
    const source = await openSource();
    const entry = (await source.factHeads([7])).get(7)?.rollups?.get('pla')?.get(month);
    if (entry === undefined) return undefined;
    const read = [];
    for await (const { packed, users: found } of source.rollups([{ ref: { ...APRIL, month }, entry }], users)) {
      read.push(digestBytes({ packed, users: [...found] }));
    }
    return read;
  };

  test('a rollup is read as it was written, with the requested columns of users', async () => {
    const n = await loadRolledUp('2026-04', 1, rollupOf(1, 400_000));
    await loadRolledUp('2026-05', 2, rollupOf(2, 30));
    const users = new Map([
      ['delivery/users_0', 360_000],
      ['delivery/users_1', 5],
    ]);
    const heads = await (await openSource()).factHeads([7]);
    expect(heads.get(7)?.rollups?.get('pla')?.get('2026-04')).toEqual({ version: n, bytes: 400_000, users });
    expect(await readRollup('2026-04', [])).toEqual([packedOnly(rollupOf(1, 400_000).packed)]);
    expect(await readRollup('2026-04', ['delivery/users_0', 'delivery/users_1', 'other'])).toEqual([
      whole(rollupOf(1, 400_000)),
    ]);
    expect(await readRollup('2026-05', ['delivery/users_0', 'delivery/users_1'])).toEqual([whole(rollupOf(2, 30))]);
  });

  test('a month whose facts change has only the rollup that the same load writes, or none', async () => {
    await loadRolledUp('2026-04', 1, rollupOf(1, 50));
    await loadRolledUp('2026-05', 1, rollupOf(1, 60));
    await loadRolledUp('2026-04', 2, rollupOf(2, 70));
    expect(await readRollup('2026-04', [])).toEqual([packedOnly(randomBytes(2, 70))]);
    await loadRolledUp('2026-04', 3);
    expect(await readRollup('2026-04', [])).toBeUndefined();
    expect(await readRollup('2026-05', [])).toEqual([packedOnly(randomBytes(1, 60))]);
  });

  test('reading 12 months of 30 advertisers takes one call for the heads and four for the rollups', async () => {
    const months = Array.from({ length: 12 }, (_, index) => `2026-${String(index + 1).padStart(2, '0')}`);
    const advertisers = Array.from({ length: 30 }, (_, index) => index + 1);
    const all = advertisers.flatMap((advertiserId) =>
      months.map((month): RollupRef => ({ ...APRIL, advertiserId, month })),
    );
    const writer = await beginCommit(made.table, { owner: 'the test' });
    const facts = new FactWriter(writer);
    for (const ref of all) {
      await facts.writeDay({ ...ref, table: 'delivery' }, 1, dayOf(1, { clicks: 20 }));
      await facts.writeRollup(ref, { packed: randomBytes(ref.advertiserId, 500), users: new Map() });
    }
    await facts.finish(advertisers);
    await writer.finish();
    const meter: Meter = { readUnits: 0, writeUnits: 0, calls: 0 };
    const source = openSegmentSource(made.table.metered(meter), await readCommit(made.table));
    const heads = await source.factHeads(advertisers);
    expect(meter.calls).toBe(1);
    const wanted = all.flatMap((ref) => {
      const entry = heads.get(ref.advertiserId)?.rollups?.get('pla')?.get(ref.month);
      return entry === undefined ? [] : [{ ref, entry }];
    });
    const read = [];
    for await (const { ref, packed } of source.rollups(wanted, [])) read.push({ ref, packed });
    expect(read).toEqual(all.map((ref) => ({ ref, packed: randomBytes(ref.advertiserId, 500) })));
    expect(meter).toMatchObject({ calls: 5, readUnits: 30 + 360 / 2 });
  });

  test('a report throws STORE_INCONSISTENT, with the keys for the log, if part of a rollup is missing', async () => {
    await loadRolledUp('2026-04', 1, rollupOf(1, 400_000));
    await made.table.deleteMany(
      (await made.content()).filter(({ pk, sk }) => pk.endsWith('04#*') && sk.endsWith('#0001')),
    );
    await expect(readRollup('2026-04', [])).rejects.toMatchObject({
      code: 'STORE_INCONSISTENT',
      cause: { message: expect.stringMatching(/^incomplete data: ROLLUP#\S+04#\* \/ \S+#0001$/) },
    });
  });
});
