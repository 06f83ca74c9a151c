import { readdirSync } from 'node:fs';
import { afterEach, expect, test, vi } from 'vitest';
import { readNetwork } from '../../shared/load/check/network.ts';
import { loadFolder } from '../../shared/load/load-folder.ts';
import type { Progress } from '../../shared/load/load-report.ts';
import { LISTING_FILES } from '../../shared/load/schema/file-columns.ts';
import { writeNetwork } from '../../shared/load/write/write-network.ts';
import { beginCommit, readCommit } from '../../shared/store/commit/commits.ts';
import type { Table } from '../../shared/store/table/client.ts';
import { dieAtCall } from '../store/sample-load.ts';
import type { TestTable } from '../support/table.ts';
import { useEngine } from '../support/use-engine.ts';
import { userIdKey } from '../support/user-id-key.ts';
import { EXPECTED } from './expected-world.ts';
import { folderOf, makeFolder } from './folder.ts';
import { FACTS, NETWORK } from './network-rows.ts';
import { readWorld } from './read-world.ts';

const engine = useEngine();
afterEach(() => vi.unstubAllEnvs());

const OLD = {
  ...NETWORK,
  'facts/pla/delivery': [{ daily_date: '2026-03-02', hour: 1, ad_group_id: 1000, impressions: 99, users: ['old'] }],
};

const ACTIVITY = 'daily_date,hour,ad_group_id,live_seconds,scheduled_seconds\n';

/** @returns a table that holds OLD */
async function oldTable(): Promise<TestTable> {
  const made = await engine.createTable();
  using folder = folderOf(OLD);
  await loadFolder({ userIdKey, folder: folder.path, table: made.table, timeZone: 'UTC' });
  return made;
}

test('a load that is killed at any call leaves the old data, and has the same result when run again', async () => {
  const { table } = await oldTable();
  const before = await readWorld(table);
  using folder = folderOf({ ...NETWORK, ...FACTS, contacts: [] });
  const load = (on: Table, lease: { silenceMs?: number }) =>
    loadFolder({ userIdKey, folder: folder.path, table: on, timeZone: 'UTC', lease });
  let killed = 0;
  for (let calls = 3; calls < 1000; calls += 11) {
    // a short lease, since the next load waits for it; a busy machine may renew it too late, which also ends the load
    const outcome = await load(dieAtCall(table, calls), { silenceMs: 700 }).then(
      (report) => report.outcome,
      (error: Error) => error.message,
    );
    if (outcome === 'loaded') break;
    expect(outcome).toMatch(/killed|has lost its lease/);
    expect(await readWorld(table)).toEqual(before);
    killed++;
  }
  expect(killed).toBeGreaterThan(5);
  expect((await load(table, {})).outcome).toMatch(/^(loaded|unchanged)$/);
  expect((await load(table, {})).outcome).toBe('unchanged');
  const { 'contacts 1': _one, 'contacts 2': _two, ...listings } = EXPECTED.listings;
  expect(await readWorld(table)).toEqual({ ...EXPECTED, listings });
});

test.each(['write listings', 'write facts'] as const)(
  'a load that is interrupted while it does "%s" removes what it has written, and its temporary files',
  async (stage) => {
    const { table, content } = await oldTable();
    const before = await content();
    using folder = folderOf({ ...NETWORK, ...FACTS, contacts: [] });
    using temporary = makeFolder();
    vi.stubEnv('TMPDIR', temporary.path);
    const interrupted = new AbortController();
    const onProgress = (progress: Progress) => {
      expect(readdirSync(temporary.path)).toHaveLength(1);
      if (progress.stage === stage) interrupted.abort(new Error('interrupted by the test'));
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

test('a load that waits for another one can be interrupted', async () => {
  const { table } = await oldTable();
  const other = await beginCommit(table, { owner: 'the other' });
  using folder = folderOf({ contacts: [] });
  const interrupted = new AbortController();
  const notes: string[] = [];
  const onNote = (note: string) => {
    notes.push(note);
    interrupted.abort(new Error('interrupted by the test'));
    void other.abandon();
  };
  const loading = loadFolder({
    userIdKey,
    folder: folder.path,
    table,
    timeZone: 'UTC',
    signal: interrupted.signal,
    onNote,
  });
  await expect(loading).rejects.toThrow('interrupted by the test');
  expect(notes).toEqual(['waiting for another load: the other']);
  expect((await readCommit(table)).commit).toBe(1);
});

test('of two concurrent loads, one waits, checks its folder against the result of the other, and loads', async () => {
  const { table } = await oldTable();
  const accounts = [...(NETWORK.accounts ?? []), { id: 3, name: 'Gamma' }];
  using first = folderOf({ accounts });
  using second = folderOf({ 'facts/pla/delivery': FACTS['facts/pla/delivery'] ?? [] });
  const notes: string[] = [];
  const load = (folder: string) =>
    loadFolder({ userIdKey, folder, table, timeZone: 'UTC', onNote: (note) => notes.push(note) });
  const reports = await Promise.all([load(first.path), load(second.path)]);
  expect(reports.map((report) => report.outcome)).toEqual(['loaded', 'loaded']);
  expect(notes).toContain('another load has ended meanwhile: the folder is checked again');
  const { tables, facts } = await readWorld(table);
  expect(tables['accounts 0']?.map((row) => row.id)).toEqual([1, 2, 3]);
  expect(facts['pla delivery 10 2026-03-03']).toEqual(EXPECTED.facts['pla delivery 10 2026-03-03']);
});

test('rejects a folder that another load makes invalid after it was checked', async () => {
  const { table } = await oldTable();
  using folder = makeFolder();
  folder.write('facts/pla/activity.csv', `${ACTIVITY}2026-03-02,0,1001,1,1\n`);
  const other = await beginCommit(table, { owner: 'the other' });
  const removeAdGroup = async () => {
    const before = await readNetwork(table, await readCommit(table), LISTING_FILES);
    const after = { ...before, ad_groups: before.ad_groups.filter((adGroup) => adGroup.id !== 1001) };
    await writeNetwork(
      other,
      { before, after, delisted: new Map([[1001, 10]]), files: ['ad_groups'] },
      other.signal,
      () => undefined,
    );
    await other.finish();
  };
  const removed = Promise.withResolvers<void>();
  const onNote = (note: string) => {
    if (note.startsWith('waiting')) removed.resolve(removeAdGroup());
  };
  const report = await loadFolder({ userIdKey, folder: folder.path, table, timeZone: 'UTC', onNote });
  await removed.promise;
  expect(report).toMatchObject({
    outcome: 'rejected',
    problems: [
      { file: 'facts/pla/activity.csv', line: 2, field: 'ad_group_id', reason: '1001 is not among the ad_groups' },
    ],
  });
});

test('facts of days that have not begun in the platform’s zone are loaded with a warning', async () => {
  const { table } = await oldTable();
  using folder = makeFolder();
  folder.write('facts/pla/activity.csv', `${ACTIVITY}2026-03-05,1,1000,1,1\n`);
  const evening = () => Date.parse('2026-03-05T02:00:00Z'); // still the fourth in New York
  const load = (timeZone: string) => loadFolder({ userIdKey, folder: folder.path, table, timeZone, clock: evening });
  expect((await load('America/New_York')).warnings).toEqual([
    'facts of days after today, 2026-03-04 in America/New_York: the latest is 2026-03-05',
  ]);
  expect((await load('UTC')).warnings).toEqual([]);
});
