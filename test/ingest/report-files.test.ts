import { expect, test } from 'vitest';
import { openBucket } from '../../shared/ingest/bucket.ts';
import { ProgressWriter } from '../../shared/ingest/progress-writer.ts';
import { IngestProgress } from '../../shared/ingest/report-file.ts';
import { folderOf } from '../load/support/folder.ts';
import { NETWORK } from '../load/support/network-rows.ts';
import { useTablePerTest } from '../support/use-engine.ts';
import { ingestInto, reportIn } from './support/ingest-into.ts';
import { BUCKET, useObjectServer } from './support/object-server.ts';
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

const PROGRESS = { stage: 'write facts', done: 1, total: 2, rows: 10 } as const;

test.each([
  ['states the rate to which the table throttles a load', 400],
  ['states no rate if the table does not throttle', undefined],
])('the progress file %s', async (_, throttledTo) => {
  const bucket = openBucket({ name: BUCKET, endpoint: server.endpoint, region: 'us-east-1' });
  const writer = new ProgressWriter(bucket, 'f/', { arrival: { etag: 'e', sequencer: '1' } });
  writer.report({ ...PROGRESS, throttledTo });
  await writer.close();
  const written = IngestProgress.parse(JSON.parse(String(server.objects.get('f/_PROGRESS.json'))));
  expect(written).toMatchObject(PROGRESS);
  expect(written.throttledTo).toBe(throttledTo);
});
