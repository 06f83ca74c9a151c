import { expect, test } from 'vitest';
import { folderOf } from '../load/support/folder.ts';
import { NETWORK } from '../load/support/network-rows.ts';
import { useTablePerTest } from '../support/use-engine.ts';
import { ingestInto, reportIn } from './support/ingest-into.ts';
import { useObjectServer } from './support/object-server.ts';
import { putFiles, putReady } from './support/put-folder.ts';

const server = useObjectServer();
const made = useTablePerTest();

/** Each attempt failed before the load began, so the folder blocked the queue for all of its attempts. */
test.each<[string, Buffer, number | undefined]>([
  ['is larger than the limit for texts', Buffer.alloc((8 << 20) + 1), undefined],
  ['is not JSON', Buffer.from('loaded'), undefined],
  ['may not be read', Buffer.from('{}'), 403],
])(
  'a folder is loaded even if the report that is already in it %s, and the report is replaced',
  async (_, old, status) => {
    using folder = folderOf(NETWORK);
    const event = putReady(server, 'f/', putFiles(server, folder.path, 'f/'));
    server.objects.set('f/_REPORT.json', old);
    server.intercept = ({ method, key }) =>
      method === 'GET' && key === 'f/_REPORT.json' && status !== undefined ? { status } : undefined;
    expect(await ingestInto(made.table, server, event)).toBe('loaded');
    expect(reportIn(server, 'f/')).toMatchObject({ arrival: event.arrival, outcome: 'loaded' });
  },
);
