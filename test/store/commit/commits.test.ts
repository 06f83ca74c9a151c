import { once } from 'node:events';
import { describe, expect, test, vi } from 'vitest';
import { elapsedClock, systemClock } from '../../../shared/lib/clock.ts';
import { formatNumbers, readState, TABLE_FORMAT } from '../../../shared/store/commit/commit-state.ts';
import { CommitWriter } from '../../../shared/store/commit/commit-writer.ts';
import { beginCommit, CommitReader, readCommit } from '../../../shared/store/commit/commits.ts';
import { acquireLease, Lease } from '../../../shared/store/commit/lease.ts';
import { STATE_KEY } from '../../../shared/store/table/item-keys.ts';
import { openTable } from '../../../shared/store/table/table.ts';
import { ENGINES } from '../../support/table.ts';
import { useTablePerTest } from '../../support/use-engine.ts';
import { dieAtCall, digestBytes, expireLease, keysOfLoad, readSample, writeSample } from '../sample-load.ts';

const owner = 'the test';

describe.each(ENGINES)('commits on %s', (name) => {
  const made = useTablePerTest(name);

  const load = async (seed: number) => {
    const writer = await beginCommit(made.table, { owner });
    await writeSample(writer, seed);
    await writer.finish();
    return writer.n;
  };

  const readNow = async () => readSample(made.table, await readCommit(made.table));

  /** @returns all items but the commit state, whose load number changes with every load */
  const contentWithoutState = async () => (await made.content()).filter(({ pk }) => pk !== 'COMMIT').map(digestBytes);

  /** Runs a load that changes nothing, which cleans up after others. */
  const sweep = async () => (await beginCommit(made.table, { owner })).finish();

  const writtenBy = async (n: number) => keysOfLoad(await made.content(), n);

  /** Acquires the lease and lets it expire. @returns a function that makes writers which have not noticed the expiry */
  const suspendLoad = async () => {
    const connection = new AbortController();
    const lost = await acquireLease(made.table.withSignal(connection.signal), { owner });
    connection.abort();
    const held = (await readState(made.table)).lease;
    if (held === undefined) throw new Error('the lease does not exist');
    await expireLease(made.table);
    return () => {
      const lease = new Lease(made.table, held, lost.base, elapsedClock());
      return new CommitWriter(made.table, lease, { readers: 0, views: 0 }, systemClock);
    };
  };

  test('a load is visible to all readers once it is finished, and to none before', async () => {
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

  test('an abandoned load leaves no trace in the table', async () => {
    await load(1);
    const before = await contentWithoutState();
    const writer = await beginCommit(made.table, { owner });
    await writeSample(writer, 2);
    await writer.abandon();
    expect(await contentWithoutState()).toEqual(before);
    expect(await load(2)).toBe(writer.n + 1);
  });

  test('a load whose last write fails is undone, and the next one need not wait for its lease', async () => {
    await load(1);
    const before = await contentWithoutState();
    const writer = await beginCommit(made.table, { owner });
    await writeSample(writer, 2);
    const details = { listings: ['x'.repeat(500_000)], facts: {}, warnings: 0, seconds: 0 }; // more than an item can hold
    writer.setAuditEntry({ at: '2026-01-01T00:00:00.000Z', actor: 'a', action: 'load', subject: 's', details });
    await expect(writer.finish()).rejects.toThrow(/size/);
    expect(await contentWithoutState()).toEqual(before);
    const next = await beginCommit(made.table, { owner, waitMs: 0 });
    expect(next.n).toBe(writer.n + 1);
    await next.abandon();
  });

  test('a load that is killed at any call is visible whole or not at all, and the next load deletes what it left', async () => {
    await load(1);
    const before = await readNow();
    const content = await contentWithoutState();
    let committed = false;
    let kills = 0;
    for (let calls = 3; !committed; calls += 4) {
      const dying = dieAtCall(made.table, calls);
      const ended = (async () => {
        const writer = await beginCommit(dying, { owner });
        await writeSample(writer, 2);
        await writer.finish();
      })();
      const died = await ended.then(
        () => false,
        () => true,
      );
      committed = (await readCommit(made.table)).commit > 1;
      await expireLease(made.table);
      if (!died || committed) break;
      kills += 1;
      expect(await readNow()).toEqual(before);
      await sweep();
      expect(await contentWithoutState()).toEqual(content);
    }
    expect(kills).toBeGreaterThanOrEqual(8);
    await sweep();
    const after = await readNow();
    expect(after).not.toEqual(before);
    expect((await made.content()).filter(({ pk }) => pk === 'JOURNAL')).toEqual([]);
  });

  test('the second of two concurrent loads waits for the first and reports its owner', async () => {
    const first = await beginCommit(made.table, { owner: 'the first' });
    const message = Promise.withResolvers<string>();
    const second = beginCommit(made.table, { owner, onWait: message.resolve });
    expect(await message.promise).toBe('waiting for another load: the first');
    await writeSample(first, 1);
    await first.finish();
    const writer = await second;
    expect(writer.n).toBe(first.n + 1);
    expect(writer.state.commit).toBe(writer.n);
    await writeSample(writer, 2);
    await writer.finish();
    expect((await readCommit(made.table)).commit).toBe(writer.n);
  });

  test('the second of two concurrent loads is rejected when it has waited too long for the first', async () => {
    const first = await beginCommit(made.table, { owner: 'the first', silenceMs: 3_000 });
    await expect(beginCommit(made.table, { owner, waitMs: 3_500 })).rejects.toMatchObject({
      code: 'STORE_BUSY',
      message: 'Another load is in progress: the first. Try again when it has ended.',
      headers: { 'Retry-After': '30' },
    });
    await writeSample(first, 1);
    await first.finish();
    expect((await readCommit(made.table)).commit).toBe(first.n);
  });

  test('a load that cannot renew its lease stops', async () => {
    const connection = new AbortController();
    // beginning must not take as long as the silence, even on a busy machine
    const writer = await beginCommit(made.table.withSignal(connection.signal), { owner, silenceMs: 5_000 });
    connection.abort(new Error('the connection is lost'));
    if (!writer.signal.aborted) await once(writer.signal, 'abort');
    await expect(writeSample(writer, 1)).rejects.toThrow(/the connection is lost|lost its lease/);
    await expect(writer.finish()).rejects.toThrow(/the connection is lost|lost its lease/);
  });

  test('a load renews its lease while thousands of its calls wait for one another', async () => {
    const narrow = openTable({ ...made, concurrency: 1, region: 'us-east-1', requestMs: 30_000 });
    const writer = await beginCommit(narrow, { owner, silenceMs: 3_000 });
    const enough = new AbortController();
    const crowded = narrow.withSignal(enough.signal);
    const callAgainAndAgain = async () => {
      for (;;) await crowded.get(STATE_KEY, { consistent: true });
    };
    const crowd = Promise.allSettled(Array.from({ length: 5_000 }, callAgainAndAgain));
    const heartbeats = async () => (await readState(made.table)).lease?.beat ?? Number.NaN;
    await vi.waitUntil(async () => (await heartbeats()) >= 6 || writer.signal.aborted, { timeout: 50_000 });
    enough.abort();
    await crowd;
    expect(await heartbeats()).toBeGreaterThanOrEqual(6); // more than the silence after which it would have expired
    await writeSample(writer, 1);
    await writer.finish();
    expect((await readCommit(made.table)).commit).toBe(writer.n);
  });

  test('a load that continues after its lease has expired changes nothing that readers see', async () => {
    await load(1);
    const resume = await suspendLoad();
    const expired = resume();
    const next = await beginCommit(made.table, { owner });
    expect(next.n).toBe(expired.n + 1);
    await writeSample(next, 2);

    await expect(writeSample(expired, 3).then(() => expired.flush())).rejects.toThrow(/lost its lease/);
    await next.finish();
    const seen = await readNow();
    await sweep();
    expect(await writtenBy(expired.n)).toEqual([]);

    const again = resume();
    await expect(writeSample(again, 4).then(() => again.finish())).rejects.toThrow(/lost its lease/);
    expect(await writtenBy(expired.n)).not.toEqual([]);
    expect(await readNow()).toEqual(seen);
    expect(await readCommit(made.table)).toMatchObject({ commit: next.n, aborted: new Set([expired.n]) });
    await sweep();
    expect(await writtenBy(expired.n)).toEqual([]);
    expect(await readNow()).toEqual(seen);
  });

  test('a load whose lease has expired cannot commit, even if no other load has written since', async () => {
    const expired = (await suspendLoad())();
    const next = await beginCommit(made.table, { owner });
    await writeSample(expired, 3);
    await expect(expired.finish()).rejects.toThrow(/lost its lease/);
    await next.finish();
    expect((await readCommit(made.table)).commit).toBe(0);
  });

  test('the state at a commit contains all aborted numbers below it', async () => {
    const reader = new CommitReader(made.table);
    const first = await load(1);
    expect(await reader.current()).toMatchObject({ commit: first });
    const writer = await beginCommit(made.table, { owner });
    await writeSample(writer, 2);
    await writer.abandon();
    const second = await load(3);
    expect(await reader.stateAt(first)).toMatchObject({ commit: first, aborted: new Set() });
    expect(await reader.stateAt(second)).toMatchObject({ commit: second, aborted: new Set([writer.n]) });
  });

  test('formatted load numbers are read as the same numbers', async () => {
    expect(formatNumbers(new Set([7, 1, 3, 2]))).toBe('1-3,7');
    for (const numbers of [[], [5], [1, 2], [1, 3, 5, 6, 7, 100]]) {
      const aborted = formatNumbers(new Set(numbers));
      const item = { format: TABLE_FORMAT, commit: 1, drawn: 1, aborted, readersFloor: 0, viewsFloor: 0 };
      const changed = { users: 0, listings: 0, dimensions: 0, facts: 0 };
      await made.table.put({ ...STATE_KEY, ...item, ...changed, identity: 'a' });
      expect((await readState(made.table)).aborted).toEqual(new Set(numbers));
    }
  });
});
