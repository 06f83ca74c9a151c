/**
 * An instance that keeps nothing of earlier reports, with one table: connects to `TABLE_ENDPOINT` when it starts, as a function does, then runs the typical report for each message `{ index }`,
 * with the dimensions at `index`, and sends its cost and its body.
 */

import { useLocalCredentials } from '../../../infra/local/emulator/services/local-credentials.ts';
import { runReport } from '../../../shared/report/run-report.ts';
import { readCommit } from '../../../shared/store/commit/commits.ts';
import { openSegmentSource, SourceCaches } from '../../../shared/store/segment-source.ts';
import { openTable } from '../../../shared/store/table/table.ts';
import { SETTINGS } from '../../support/report-settings.ts';
import { measure } from '../tools/timing.ts';
import { SCOPE, TYPICAL_DIMENSIONS, TYPICAL_REPORT } from './typical-report.ts';

useLocalCredentials();
const { TABLE_NAME: tableName = '', TABLE_ENDPOINT: endpoint = '' } = process.env;
const table = openTable({ tableName, endpoint, region: 'us-east-1' });
const connected = readCommit(table);

process.on('message', async (message) => {
  await connected;
  const { index }: { index: number } = Object(message);
  const { dimensions } = TYPICAL_DIMENSIONS[index] ?? TYPICAL_DIMENSIONS[0];
  let body = '';
  const cost = await measure(async () => {
    const source = openSegmentSource(table, await readCommit(table), new SourceCaches());
    const query = { ...TYPICAL_REPORT, dimensions };
    body = JSON.stringify(await runReport({ query, scope: SCOPE, settings: SETTINGS, source }));
  });
  process.send?.({ ...cost, body });
});
process.on('disconnect', () => process.exit());
