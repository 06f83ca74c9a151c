import { readdirSync } from 'node:fs';
import { afterEach, expect, test, vi } from 'vitest';
import type { Progress } from '../../shared/load/check/load-report.ts';
import { loadFolder } from '../../shared/load/load-folder.ts';
import { readState } from '../../shared/store/commit/commit-state.ts';
import { beginCommit } from '../../shared/store/commit/commits.ts';
import type { TestTable } from '../support/table.ts';
import { useEngine } from '../support/use-engine.ts';
import { userIdKey } from '../support/user-id-key.ts';
import { folderOf, makeFolder } from './support/folder.ts';
import { killAtCalls, loadRows } from './support/load-rows.ts';
import { EXPECTED, FACTS, NETWORK } from './support/network-rows.ts';
import { readStoredNetwork } from './support/read-stored-network.ts';

const engine = useEngine();
afterEach(() => vi.unstubAllEnvs());

const OLD = {
  ...NETWORK,
  'facts/pla/delivery': [{ daily_date: '2026-03-02', hour: 1, ad_group_id: 1000, impressions: 99, users: ['old'] }],
};

/** @returns a table that holds OLD */
async function oldTable(): Promise<TestTable> {
  const made = await engine.createTable();
  await loadRows(OLD, made.table);
  return made;
}

test('a load that is killed at one of many calls leaves the old data, and has the same result when run again', async () => {
  const { table } = await oldTable();
  const rows = { ...NETWORK, ...FACTS, contacts: [] };
  expect(await killAtCalls(table, 11, (dying) => loadRows(rows, dying))).toBeGreaterThan(5);
  expect((await loadRows(rows, table)).outcome).toMatch(/^(loaded|unchanged)$/);
  expect((await loadRows(rows, table)).outcome).toBe('unchanged');
  const { 'contacts 1': _one, 'contacts 2': _two, ...listings } = EXPECTED.listings;
  expect(await readStoredNetwork(table)).toEqual({ ...EXPECTED, listings });
});

test.each(['write listings', 'write facts'] as const)(
  'a load that is interrupted in the stage "%s" removes what it has written, and its temporary files',
  async (stage) => {
    const { table, content } = await oldTable();
    const before = await content();
    using folder = folderOf({ ...NETWORK, ...FACTS, contacts: [] });
    using temporary = makeFolder();
    vi.stubEnv('TMPDIR', temporary.path);
    const interrupted = new AbortController();
    const onProgress = (progress: Progress) => {
      expect(readdirSync(temporary.path)).toHaveLength(1);
      if (progress.stage === stage && progress.done > 0) interrupted.abort(new Error('interrupted by the test'));
    };
    const loading = loadFolder({
      userIdKey,
      folder: folder.path,
      table,
      timeZone: 'UTC',
      signal: interrupted.signal,
      onProgress,
    });
    await expect(loading).rejects.toThrow('interrupted by the test');
    const isState = (pk: string) => pk === 'COMMIT';
    expect((await content()).filter((item) => !isState(item.pk))).toEqual(before.filter((item) => !isState(item.pk)));
    expect(readdirSync(temporary.path)).toEqual([]);
  },
);

test('a load that is interrupted while it waits for another one ends for that reason, and the other one continues', async () => {
  const { table } = await oldTable();
  const other = await beginCommit(table, { owner: 'the other' });
  using folder = folderOf({ contacts: [] });
  const interrupted = new AbortController();
  const notes: string[] = [];
  const onNote = (note: string) => {
    notes.push(note);
    interrupted.abort(new Error('interrupted by the test'));
  };
  const loading = loadFolder({
    ...{ userIdKey, folder: folder.path, table, timeZone: 'UTC', lease: { waitMs: 600 } }, // a load that is not interrupted fails soon
    ...{ signal: interrupted.signal, onNote },
  });
  await expect(loading).rejects.toThrow('interrupted by the test');
  expect(notes).toEqual(['waiting for another load: the other']);
  const { commit, lease } = await readState(table);
  expect({ commit, owner: lease?.owner }).toEqual({ commit: 1, owner: 'the other' });
  await other.finish();
});

test('a load that is interrupted while it waits for another one does not keep the lease if it gets it', async () => {
  const { table } = await oldTable();
  const other = await beginCommit(table, { owner: 'the other' });
  using folder = folderOf({ contacts: [] });
  const interrupted = new AbortController();
  const onNote = () => {
    interrupted.abort(new Error('interrupted by the test'));
    void other.abandon();
  };
  const loading = loadFolder({
    ...{ userIdKey, folder: folder.path, table, timeZone: 'UTC' },
    ...{ signal: interrupted.signal, onNote },
  });
  await expect(loading).rejects.toThrow('interrupted by the test');
  const { commit, drawn, lease } = await readState(table);
  // OLD, the other load and the interrupted one have drawn a number each
  expect({ commit, drawn, lease }).toEqual({ commit: 1, drawn: 3, lease: undefined });
});
