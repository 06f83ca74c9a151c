/** Runs the typical report for each message `{ endpoint, index }`, with the dimensions at `index` and the caches of an instance, and sends its cost and its body. */

import { useLocalCredentials } from '../../../infra/emulator/services/local-credentials.ts';
import { runReport } from '../../../shared/report/run-report.ts';
import { readCommit } from '../../../shared/store/commit/commits.ts';
import { openSegmentSource, SourceCaches } from '../../../shared/store/segment-source.ts';
import { openTable } from '../../../shared/store/table/client.ts';
import { SETTINGS } from '../../support/report-settings.ts';
import { measure } from '../tools/timing.ts';
import { SCOPE, TYPICAL_DIMENSIONS, TYPICAL_REPORT } from './typical-report.ts';

useLocalCredentials();
const tableName = process.env.TABLE_NAME ?? '';
const instances = new Map<string, ReturnType<typeof openInstance>>();

const openInstance = (endpoint: string) => ({
  table: openTable({ tableName, endpoint, region: 'us-east-1' }),
  caches: new SourceCaches(),
});

process.on('message', async (message) => {
  const { endpoint, index }: { endpoint: string; index: number } = Object(message);
  const instance = instances.get(endpoint) ?? openInstance(endpoint);
  instances.set(endpoint, instance);
  const { dimensions } = TYPICAL_DIMENSIONS[index] ?? TYPICAL_DIMENSIONS[0];
  let body = '';
  const cost = await measure(async () => {
    const { table, caches } = instance;
    const source = openSegmentSource(table, await readCommit(table), caches);
    const query = { ...TYPICAL_REPORT, dimensions };
    body = JSON.stringify(await runReport({ query, scope: SCOPE, settings: SETTINGS, source }));
  });
  process.send?.({ ...cost, body });
});
process.on('disconnect', () => process.exit());
