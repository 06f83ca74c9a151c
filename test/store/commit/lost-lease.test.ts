import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import { elapsedClock } from '../../../shared/lib/clock.ts';
import { TABLE_FORMAT } from '../../../shared/store/commit/commit-state.ts';
import { collectGarbage } from '../../../shared/store/commit/garbage.ts';
import { packKeys, sweepJournals, writeJournal } from '../../../shared/store/commit/journal.ts';
import { acquireLease, Lease } from '../../../shared/store/commit/lease.ts';
import { garbageKey, garbagePk, journalKey, STATE_KEY } from '../../../shared/store/table/item-keys.ts';
import { Table } from '../../../shared/store/table/table.ts';
import { ENGINES } from '../../support/table.ts';
import { FREEZES, stopClock } from '../../support/test-clock.ts';
import { useTablePerTest } from '../../support/use-engine.ts';

const HOUR = 3_600_000;
const STATE = {
  ...{ commit: 4, aborted: new Set<number>(), drawn: 4, lease: undefined },
  floors: { readers: 0, views: 0 },
  changed: { users: 0, listings: 0, dimensions: 0, facts: 0 },
};

/** A loader was suspended while it cleaned up, lost its lease, and went on beside the next load. */
describe.each(ENGINES)('a load that cleans up after it has lost its lease on %s', (engine) => {
  const made = useTablePerTest(engine);
  const key = { pk: 'FACTS#1', sk: 'HEAD' };

  test('leaves the journal of a later load, which that load needs if it fails', async () => {
    await writeJournal(made.table, 5, 1, 'items', [key]);
    await sweepJournals(made.table, STATE);
    expect(await made.table.get(journalKey(5, 1), { consistent: true })).toBeDefined();
  });

  test('leaves the garbage of a later load, whose retention begins with its commit', async () => {
    await made.table.put({ ...garbageKey('readers', 5, 1), keys: packKeys([key]) });
    expect(await collectGarbage(made.table, 'readers', STATE, () => 0)).toBe(0);
    expect(await made.table.query({ pk: garbagePk('readers'), consistent: true })).toHaveLength(1);
  });
});

test.each(FREEZES)('a load on a machine %s gives up if it can no longer renew its lease', async (_, clocksAfter) => {
  const clock = stopClock();
  using _clock = { [Symbol.dispose]: clock.release };
  const table = Object.create(Table.prototype, {
    unlimited: { value: () => table },
    update: { value: () => Promise.reject(new Error('unreachable')) },
  });
  const held = { n: 5, token: 'token', owner: 'suspended', beat: 0, silenceMs: 100 };
  const lease = new Lease(table, held, { ...STATE, lease: held }, elapsedClock());
  lease.start();
  clock.advance(...clocksAfter(100));
  await once(lease.signal, 'abort');
  expect(lease.signal.reason).toHaveProperty('message', 'load 5 has lost its lease: it could not be renewed in time');
});

/** A wall clock that jumps says nothing about whether the holder is alive. */
test.each([HOUR, -HOUR])(
  'a load that waits for another one does not take over because its wall clock jumps by %i ms',
  async (jump) => {
    const clock = stopClock();
    using _clock = { [Symbol.dispose]: clock.release };
    const held = { n: 5, token: 'token', owner: 'alive', beat: 0, silenceMs: 100 };
    const item = {
      ...STATE_KEY,
      commit: 4,
      drawn: 5,
      aborted: '',
      format: TABLE_FORMAT,
      identity: 'a',
      ...STATE.changed,
      readersFloor: 0,
      viewsFloor: 0,
      lease: held,
    };
    let reads = 0;
    const table = Object.create(Table.prototype, {
      get: {
        value: async () => {
          reads += 1;
          if (reads === 2) clock.advance(jump, 0);
          if (reads === 3) clock.advance(0, 60_001);
          return { ...item, lease: { ...held, beat: reads > 2 ? 1 : 0 } };
        },
      },
      put: { value: () => Promise.reject(new Error('it takes over')) },
    });
    await expect(acquireLease(table, { owner: 'next' })).rejects.toMatchObject({ code: 'STORE_BUSY' });
  },
);
