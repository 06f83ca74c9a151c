import { describe, expect, test } from 'vitest';
import { collectGarbage } from '../../../shared/store/commit/garbage.ts';
import { packKeys, sweepJournals, writeJournal } from '../../../shared/store/commit/journal.ts';
import { garbageKey, garbagePk, journalKey } from '../../../shared/store/table/item-keys.ts';
import { ENGINES } from '../../support/table.ts';
import { useTablePerTest } from '../../support/use-engine.ts';

/** A loader was suspended while it cleaned up, lost its lease, and went on beside the next load. */
describe.each(ENGINES)('a load that cleans up after it has lost its lease on %s', (engine) => {
  const made = useTablePerTest(engine);
  const key = { pk: 'FACTS#1', sk: 'HEAD' };
  const state = {
    ...{ commit: 4, aborted: new Set<number>(), drawn: 4, lease: undefined },
    floors: { readers: 0, views: 0 },
  };

  test('leaves the journal of a later load, which that load needs if it fails', async () => {
    await writeJournal(made.table, 5, 1, 'items', [key]);
    await sweepJournals(made.table, state);
    expect(await made.table.get(journalKey(5, 1), { consistent: true })).toBeDefined();
  });

  test('leaves the garbage of a later load, whose retention begins with its commit', async () => {
    await made.table.put({ ...garbageKey('readers', 5, 1), keys: packKeys([key]) });
    expect(await collectGarbage(made.table, 'readers', state, () => 0)).toBe(0);
    expect(await made.table.query({ pk: garbagePk('readers'), consistent: true })).toHaveLength(1);
  });
});
