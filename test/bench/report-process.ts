/** Runs reports over a table in a process of its own, whose cores its parent has chosen: sent one, it answers how long it took. */
import { runReport } from '../../shared/report/run-report.ts';
import { readCommit } from '../../shared/store/commit/commits.ts';
import { openSegmentSource } from '../../shared/store/segment-source.ts';
import { openTable } from '../../shared/store/table/client.ts';
import { SETTINGS } from '../support/report-settings.ts';
import { useLocalCredentials } from '../support/table.ts';
import { ADVERTISER_ID } from './bench-folder.ts';
import { TYPICAL_DIMENSIONS, TYPICAL_REPORT } from './read-units.ts';
import { spend } from './timing.ts';

useLocalCredentials();
const tableName = process.env.TABLE_NAME ?? '';
const tables = new Map<string, ReturnType<typeof openTable>>();

process.on('message', async (asked) => {
  const { endpoint, shape }: { endpoint: string; shape: number } = Object(asked);
  const table = tables.get(endpoint) ?? openTable({ tableName, endpoint, region: 'us-east-1' });
  tables.set(endpoint, table);
  const { dimensions } = TYPICAL_DIMENSIONS[shape] ?? TYPICAL_DIMENSIONS[0];
  const scope = { accountIds: new Set([1]), advertiserIds: [ADVERTISER_ID] };
  const spent = await spend(async () => {
    const source = openSegmentSource(table, await readCommit(table));
    await runReport({ query: { ...TYPICAL_REPORT, dimensions }, scope, settings: SETTINGS, source });
  });
  process.send?.(spent);
});
process.on('disconnect', () => process.exit());
