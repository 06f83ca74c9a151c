import { beforeEach, expect, test } from 'vitest';
import { readNetwork } from '../../shared/load/listings/known-network.ts';
import { LISTING_FILES } from '../../shared/load/schema/file-columns.ts';
import { writeNetwork } from '../../shared/load/write/write-network.ts';
import { beginCommit, readCommit } from '../../shared/store/commit/commits.ts';
import { useTablePerTest } from '../support/use-engine.ts';
import { loadRows } from './support/load-rows.ts';
import { EXPECTED, FACTS, NETWORK } from './support/network-rows.ts';
import { readStoredNetwork } from './support/read-stored-network.ts';

const made = useTablePerTest();

beforeEach(async () => {
  expect((await loadRows(NETWORK, made.table)).outcome).toBe('loaded');
});

test('of two concurrent loads, one waits, checks its folder against the result of the other, and loads', async () => {
  const accounts = [...(NETWORK.accounts ?? []), { id: 3, name: 'Gamma' }];
  const delivery = { 'facts/pla/delivery': FACTS['facts/pla/delivery'] ?? [] };
  const notes: string[] = [];
  const options = { onNote: (note: string) => void notes.push(note) };
  const reports = await Promise.all([{ accounts }, delivery].map((rows) => loadRows(rows, made.table, options)));
  expect(reports.map((report) => report.outcome)).toEqual(['loaded', 'loaded']);
  expect(notes).toContain('another load has ended meanwhile: the folder is checked again');
  const { tables, facts } = await readStoredNetwork(made.table);
  expect(tables['accounts 0']?.map((row) => row.id)).toEqual([1, 2, 3]);
  expect(facts['pla delivery 10 2026-03-03']).toEqual(EXPECTED.facts['pla delivery 10 2026-03-03']);
});

test('rejects a folder that another load makes invalid after it was checked', async () => {
  const { table } = made;
  const row = { daily_date: '2026-03-02', hour: 0, ad_group_id: 1001, live_seconds: 1, scheduled_seconds: 1 };
  const other = await beginCommit(table, { owner: 'the other' });
  const removeAdGroup = async () => {
    const before = await readNetwork(table, await readCommit(table), LISTING_FILES);
    const after = { ...before, ad_groups: before.ad_groups.filter((adGroup) => adGroup.id !== 1001) };
    await writeNetwork(other, { before, after }, ['ad_groups'], other.signal, () => undefined);
    await other.finish();
  };
  const removed = Promise.withResolvers<void>();
  const onNote = (note: string) => {
    if (note.startsWith('waiting')) removed.resolve(removeAdGroup());
  };
  const report = await loadRows({ 'facts/pla/activity': [row] }, table, { onNote });
  await removed.promise;
  expect(report).toMatchObject({
    outcome: 'rejected',
    problems: [
      { file: 'facts/pla/activity.ndjson', line: 1, field: 'ad_group_id', reason: '1001 is not among the ad_groups' },
    ],
  });
});
