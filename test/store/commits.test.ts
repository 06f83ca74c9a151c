import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { systemClock } from '../../shared/lib/clock.ts';
import { formatNumbers, parseNumbers, readState } from '../../shared/store/commit/commit-state.ts';
import { CommitWriter } from '../../shared/store/commit/commit-writer.ts';
import { beginCommit, CommitReader, readCommit } from '../../shared/store/commit/commits.ts';
import { acquireLease, Lease } from '../../shared/store/commit/lease.ts';
import type { Meter } from '../../shared/store/table/client.ts';
import { openTable } from '../../shared/store/table/client.ts';
import { STATE_KEY } from '../../shared/store/table/keys.ts';
import { ENGINES } from '../support/table.ts';
import { useTablePerTest } from '../support/use-engine.ts';
import { dieAfter, digestBytes, keysOfLoad, readSample, writeSample } from './sample-load.ts';

const owner = 'the test';
/** Of loads that die; too short for one that is to live on a busy machine. */
const silenceMs = 250;

describe.each(ENGINES)('commits on %s', (name) => {
  const made = useTablePerTest(name);

  const load = async (seed: number) => {
    const writer = await beginCommit(made.table, { owner });
    await writeSample(writer, seed);
    await writer.finish();
    return writer.n;
  };

  const readNow = async () => readSample(made.table, await readCommit(made.table));

  /** Everything but the state itself, whose numbers only go up. */
  const contentBesideState = async () => (await made.content()).filter(({ pk }) => pk !== 'COMMIT').map(digestBytes);

  /** Begins and ends a load that changes nothing: what is left of others is cleaned up. */
  const sweep = async () => (await beginCommit(made.table, { owner })).finish();

  const writtenBy = async (n: number) => keysOfLoad(await made.content(), n);

  /** Takes the lease and falls silent. @returns makes a writer that does not see that the lease is lost: others took its holder for dead */
  const fallSilent = async () => {
    const line = new AbortController();
    const lost = await acquireLease(made.table.withSignal(line.signal), { owner, silenceMs });
    line.abort();
    const held = (await readState(made.table)).lease;
    if (held === undefined) throw new Error('the lease is not there');
    return () => {
      const lease = new Lease(made.table, held, lost.base, performance.now());
      return new CommitWriter(made.table, lease, { readers: 0, views: 0 }, systemClock);
    };
  };

  test('a load that is written but not finished is seen by nobody, and once it is finished by everybody', async () => {
    await load(1);
    const before = await readNow();
    const reader = new CommitReader(made.table);
    const writer = await beginCommit(made.table, { owner });
    await writeSample(writer, 2);
    await writer.flush();
    expect(await readNow()).toEqual(before);
    expect(await readSample(made.table, await reader.recent())).toEqual(before);
    await writer.finish();
    const after = await readNow();
    expect(after).not.toEqual(before);
    expect(await readSample(made.table, await reader.current())).toEqual(after);
  });

  test('an abandoned load leaves the table as if it had never been', async () => {
    await load(1);
    const before = await contentBesideState();
    const writer = await beginCommit(made.table, { owner });
    await writeSample(writer, 2);
    await writer.abandon();
    expect(await contentBesideState()).toEqual(before);
    expect(await load(2)).toBe(writer.n + 1);
  });

  test('a load killed at any call is invisible or whole, and the next load leaves nothing of a dead one', async () => {
    await load(1);
    const before = await readNow();
    const content = await contentBesideState();
    let committed = false;
    let kills = 0;
    for (let calls = 3; !committed; calls += 4) {
      const dying = dieAfter(made.table, calls);
      const ended = (async () => {
        const writer = await beginCommit(dying, { owner, silenceMs });
        await writeSample(writer, 2);
        await writer.finish();
      })();
      const died = await ended.then(
        () => false,
        () => true,
      );
      committed = (await readCommit(made.table)).commit > 1;
      if (!died || committed) break;
      kills += 1;
      expect(await readNow()).toEqual(before);
      await sweep();
      expect(await contentBesideState()).toEqual(content);
    }
    expect(kills).toBeGreaterThanOrEqual(8);
    await sweep();
    const after = await readNow();
    expect(after).not.toEqual(before);
    expect((await made.content()).filter(({ pk }) => pk === 'JOURNAL')).toEqual([]);
  });

  test('of two loads at once the second waits for the first, and says for whom', async () => {
    const first = await beginCommit(made.table, { owner: 'the first' });
    const messages: string[] = [];
    const second = beginCommit(made.table, { owner, onWait: (message) => messages.push(message) });
    await sleep(700);
    expect(messages).toEqual(['waiting for another load: the first']);
    await writeSample(first, 1);
    await first.finish();
    const writer = await second;
    expect(writer.n).toBe(first.n + 1);
    expect(writer.state.commit).toBe(writer.n);
    await writeSample(writer, 2);
    await writer.finish();
    expect((await readCommit(made.table)).commit).toBe(writer.n);
  });

  test('of two loads at once the second is refused when the first goes on for too long', async () => {
    const first = await beginCommit(made.table, { owner: 'the first', silenceMs: 1_000 });
    await expect(beginCommit(made.table, { owner, waitMs: 2_500 })).rejects.toMatchObject({
      code: 'STORE_BUSY',
      message: expect.stringContaining('the first'),
      headers: { 'Retry-After': '30' },
    });
    await writeSample(first, 1);
    await first.finish();
    expect((await readCommit(made.table)).commit).toBe(first.n);
  });

  test('a load that cannot renew its lease stops by itself before another takes over', async () => {
    const line = new AbortController();
    const writer = await beginCommit(made.table.withSignal(line.signal), { owner, silenceMs });
    line.abort(new Error('the line is cut'));
    await sleep(2 * silenceMs);
    expect(writer.signal.aborted).toBe(true);
    await expect(writeSample(writer, 1)).rejects.toThrow(/the line is cut|lost its lease/);
    await expect(writer.finish()).rejects.toThrow(/the line is cut|lost its lease/);
  });

  test('a load keeps its lease while all its calls wait for one another', async () => {
    const narrow = openTable({ ...made, concurrency: 1, region: 'us-east-1', requestMs: 30_000 });
    const writer = await beginCommit(narrow, { owner, silenceMs: 1_000 });
    const asked = performance.now();
    const crowd = narrow.withSignal(AbortSignal.timeout(2_500));
    await Promise.allSettled(Array.from({ length: 5_000 }, () => crowd.get(STATE_KEY, { consistent: true })));
    expect(performance.now() - asked).toBeGreaterThan(1_000);
    await writeSample(writer, 1);
    await writer.finish();
    expect((await readCommit(made.table)).commit).toBe(writer.n);
  });

  test('a writer that was taken for dead and writes on changes nothing that a reader sees', async () => {
    await load(1);
    const raise = await fallSilent();
    const zombie = raise();
    const next = await beginCommit(made.table, { owner });
    expect(next.n).toBe(zombie.n + 1);
    await writeSample(next, 2);

    await expect(writeSample(zombie, 3).then(() => zombie.flush())).rejects.toThrow(/lost its lease/);
    await next.finish();
    const seen = await readNow();
    await sweep();
    expect(await writtenBy(zombie.n)).toEqual([]);

    const again = raise();
    await expect(writeSample(again, 4).then(() => again.finish())).rejects.toThrow(/lost its lease/);
    expect(await writtenBy(zombie.n)).not.toEqual([]);
    expect(await readNow()).toEqual(seen);
    expect(await readCommit(made.table)).toMatchObject({ commit: next.n, aborted: new Set([zombie.n]) });
    await sweep();
    expect(await writtenBy(zombie.n)).toEqual([]);
    expect(await readNow()).toEqual(seen);
  });

  test('a writer that was taken for dead cannot move the commit, even if nobody has written since', async () => {
    const zombie = (await fallSilent())();
    const next = await beginCommit(made.table, { owner });
    await writeSample(zombie, 3);
    await expect(zombie.finish()).rejects.toThrow(/lost its lease/);
    await next.finish();
    expect((await readCommit(made.table)).commit).toBe(0);
  });

  test('a reader knows what was aborted before any commit that it reads at', async () => {
    const reader = new CommitReader(made.table);
    const first = await load(1);
    expect(await reader.current()).toMatchObject({ commit: first });
    const writer = await beginCommit(made.table, { owner });
    await writeSample(writer, 2);
    await writer.abandon();
    const second = await load(3);
    expect(await reader.snapshot(first)).toEqual({ commit: first, aborted: new Set() });
    expect(await reader.snapshot(second)).toEqual({ commit: second, aborted: new Set([writer.n]) });
  });

  test('reading a commit that is a second old costs one call, however many ask at once', async () => {
    const meter: Meter = { readUnits: 0, writeUnits: 0, calls: 0 };
    const reader = new CommitReader(made.table.metered(meter));
    await Promise.all(Array.from({ length: 20 }, () => reader.recent()));
    await reader.recent();
    expect(meter).toMatchObject({ readUnits: expect.any(Number), calls: 1 });
    await reader.current();
    expect(meter.calls).toBe(2);
    await sleep(1_050);
    await reader.recent();
    expect(meter.calls).toBe(3);
  });
});

test('numbers as text come back as they were', () => {
  expect(formatNumbers(new Set([7, 1, 3, 2]))).toBe('1-3,7');
  for (const numbers of [[], [5], [1, 2], [1, 3, 5, 6, 7, 100]]) {
    expect(parseNumbers(formatNumbers(new Set(numbers)))).toEqual(new Set(numbers));
  }
});
