import { afterEach, expect, test, vi } from 'vitest';
import { beginCommit } from '../../../shared/store/commit/commits.ts';
import { useTablePerTest } from '../../support/use-engine.ts';
import { keysOfLoad, writeSample } from '../sample-load.ts';

const made = useTablePerTest();
afterEach(() => vi.useRealTimers());

/** @returns the number of the load, made by a loader whose clock is ahead of the table's */
async function load(aheadMs: number, seed?: number): Promise<number> {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + aheadMs });
  const writer = await beginCommit(made.table, { owner: 'the test' });
  if (seed !== undefined) await writeSample(writer, seed);
  await writer.finish();
  vi.useRealTimers();
  return writer.n;
}

/** Loaders once compared the time of a commit, which was by the clock of its loader, with their own clocks. */
test.each([0, 3_600_000, -3_600_000])(
  'a loader whose clock is %i ms ahead retains what the last load superseded',
  async (aheadMs) => {
    const first = await load(0, 1);
    const written = async () => keysOfLoad(await made.content(), first);
    await load(-aheadMs / 2, 2);
    const before = await written();
    await load(aheadMs);
    expect(await written()).toEqual(before);
    expect(before.length).toBeGreaterThan(10);
  },
);
