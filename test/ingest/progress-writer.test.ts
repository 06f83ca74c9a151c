import { expect, test } from 'vitest';
import { openBucket } from '../../shared/ingest/bucket.ts';
import { ProgressWriter } from '../../shared/ingest/progress-writer.ts';
import { IngestProgress } from '../../shared/ingest/report-file.ts';
import { BUCKET, useObjectServer } from './support/object-server.ts';

const server = useObjectServer();
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
