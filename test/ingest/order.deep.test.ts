import { expect, test } from 'vitest';
import type { IngestOptions } from '../../shared/ingest/load-sent-folder.ts';
import { folderOf } from '../load/support/folder.ts';
import type { FolderRows } from '../load/support/network-rows.ts';
import { FACTS, NETWORK } from '../load/support/network-rows.ts';
import { useTablePerTest } from '../support/use-engine.ts';
import { useObjectServer } from './support/object-server.ts';
import { ingestInto, putFiles, putMarker, reportIn } from './support/put-folder.ts';

const server = useObjectServer();
const made = useTablePerTest();

/** Loads a folder whose `_READY` was written at a time of 2026-03-10. @returns the outcome, and its problems and warnings about the order */
async function ingest(prefix: string, rows: FolderRows, time: string, options: Partial<IngestOptions> = {}) {
  using folder = folderOf(rows);
  putFiles(server, folder.path, prefix);
  server.written.set(`${prefix}_READY`, new Date(`2026-03-10T${time}Z`));
  const outcome = await ingestInto(made.table, server, putMarker(server, prefix, '_READY', ''), options);
  const { problems, warnings } = reportIn(server, prefix);
  const reasons = problems.map(({ reason }) => reason);
  return [outcome, ...[...reasons, ...warnings].filter((text) => text.includes('complete at'))];
}

const delivery = (day: string, impressions: number, adGroup = 1000): FolderRows => ({
  'facts/pla/delivery': [{ daily_date: `2026-03-${day}`, hour: 9, ad_group_id: adGroup, impressions }],
});

const rowsOf = (rows: FolderRows) => rows['facts/pla/delivery'] ?? [];

const OLDER = (of: string) =>
  `was complete at 2026-03-10T04:00:00.000Z, before a load of the same ${of} that was at 2026-03-10T04:00:05.000Z`;

test.each<[string, FolderRows, FolderRows, string]>([
  ['day', delivery('02', 1), delivery('02', 2), 'days of facts/pla/delivery'],
  [
    'listing',
    { accounts: [...(NETWORK.accounts ?? []), { id: 3, name: 'Old' }] },
    { accounts: NETWORK.accounts ?? [] },
    'accounts',
  ],
])(
  'a folder that is loaded after a later one of the same %s is a warning, or rejected',
  async (_, older, newer, of) => {
    await ingest('network/', { ...NETWORK, ...FACTS, ...older }, '01:00:00');
    expect(await ingest('b/', newer, '04:00:05')).toEqual(['loaded']);
    expect(await ingest('a/', older, '04:00:00', { rejectOlder: true })).toEqual([
      'rejected',
      `${OLDER(of)}; to load it all the same, write its _READY again`,
    ]);
    expect(await ingest('a/', older, '04:00:00')).toEqual([
      'loaded',
      `the folder ${OLDER(of)}: it replaces newer data`,
    ]);
  },
);

test.each<[string, FolderRows, string]>([
  ['of the same time', delivery('02', 2), '04:00:05'],
  ['of another day', delivery('03', 2), '04:00:00'],
  ['of another advertiser', delivery('02', 2, 1100), '04:00:00'],
  ['of the day of one advertiser and the other of another', delivery('04', 2), '04:00:00'],
  ['that patches the listing', { 'accounts.patch': [{ id: 1, name: 'Patched' }] }, '04:00:00'],
])('a folder %s is not older', async (_, rows, time) => {
  await ingest('network/', { ...NETWORK, ...FACTS }, '01:00:00');
  await ingest(
    'b/',
    {
      'facts/pla/delivery': [...rowsOf(delivery('02', 1)), ...rowsOf(delivery('04', 1, 1100))],
      accounts: [...(NETWORK.accounts ?? []), { id: 3, name: 'C' }],
    },
    '04:00:05',
  );
  expect(await ingest('a/', rows, time, { rejectOlder: true })).toEqual(['loaded']);
});

test('a folder of more than two weeks ago is forgotten, because none waits that long', async () => {
  await ingest('network/', { ...NETWORK, ...FACTS }, '01:00:00');
  server.written.clear();
  const later = new Date('2026-03-25T00:00:00Z');
  using folder = folderOf(delivery('05', 1));
  putFiles(server, folder.path, 'later/');
  server.written.set('later/_READY', later);
  await ingestInto(made.table, server, putMarker(server, 'later/', '_READY', ''));
  expect(await ingest('a/', delivery('02', 2), '00:30:00', { rejectOlder: true })).toEqual(['loaded']);
});
