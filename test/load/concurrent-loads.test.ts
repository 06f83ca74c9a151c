import { beforeEach, expect, test } from 'vitest';
import { readNetwork } from '../../shared/load/check/network.ts';
import { loadFolder } from '../../shared/load/load-folder.ts';
import { LISTING_FILES } from '../../shared/load/schema/file-columns.ts';
import { writeNetwork } from '../../shared/load/write/write-network.ts';
import { beginCommit, readCommit } from '../../shared/store/commit/commits.ts';
import { useTablePerTest } from '../support/use-engine.ts';
import { userIdKey } from '../support/user-id-key.ts';
import { EXPECTED } from './expected-network.ts';
import { folderOf } from './folder.ts';
import { FACTS, NETWORK } from './network-rows.ts';
import { readStoredNetwork } from './read-stored-network.ts';

const made = useTablePerTest();

const load = (folder: string, onNote: (note: string) => void = () => undefined) =>
  loadFolder({ userIdKey, folder, table: made.table, timeZone: 'UTC', onNote });

beforeEach(async () => {
  using folder = folderOf(NETWORK);
  expect((await load(folder.path)).outcome).toBe('loaded');
});

test('of two concurrent loads, one waits, checks its folder against the result of the other, and loads', async () => {
  const accounts = [...(NETWORK.accounts ?? []), { id: 3, name: 'Gamma' }];
  using first = folderOf({ accounts });
  using second = folderOf({ 'facts/pla/delivery': FACTS['facts/pla/delivery'] ?? [] });
  const notes: string[] = [];
  const onNote = (note: string) => notes.push(note);
  const reports = await Promise.all([load(first.path, onNote), load(second.path, onNote)]);
  expect(reports.map((report) => report.outcome)).toEqual(['loaded', 'loaded']);
  expect(notes).toContain('another load has ended meanwhile: the folder is checked again');
  const { tables, facts } = await readStoredNetwork(made.table);
  expect(tables['accounts 0']?.map((row) => row.id)).toEqual([1, 2, 3]);
  expect(facts['pla delivery 10 2026-03-03']).toEqual(EXPECTED.facts['pla delivery 10 2026-03-03']);
});

test('rejects a folder that another load makes invalid after it was checked', async () => {
  const { table } = made;
  const row = { daily_date: '2026-03-02', hour: 0, ad_group_id: 1001, live_seconds: 1, scheduled_seconds: 1 };
  using folder = folderOf({ 'facts/pla/activity': [row] });
  const other = await beginCommit(table, { owner: 'the other' });
  const removeAdGroup = async () => {
    const before = await readNetwork(table, await readCommit(table), LISTING_FILES);
    const after = { ...before, ad_groups: before.ad_groups.filter((adGroup) => adGroup.id !== 1001) };
    const delisted = new Map([[1001, 10]]);
    await writeNetwork(other, { before, after, delisted, files: ['ad_groups'] }, other.signal, () => undefined);
    await other.finish();
  };
  const removed = Promise.withResolvers<void>();
  const report = await load(folder.path, (note) => {
    if (note.startsWith('waiting')) removed.resolve(removeAdGroup());
  });
  await removed.promise;
  expect(report).toMatchObject({
    outcome: 'rejected',
    problems: [
      { file: 'facts/pla/activity.ndjson', line: 1, field: 'ad_group_id', reason: '1001 is not among the ad_groups' },
    ],
  });
});
