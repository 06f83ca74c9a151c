import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { loadFolder } from '../../../shared/load/load-folder.ts';
import { readDeliveryAges } from '../../../shared/store/facts/delivery-age.ts';
import { folderOf } from '../../load/support/folder.ts';
import { FACTS, NETWORK } from '../../load/support/network-rows.ts';
import type { TestTable } from '../../support/table.ts';
import { useEngine } from '../../support/use-engine.ts';
import { userIdKey } from '../../support/user-id-key.ts';
import { guardTable } from './guarded-table.ts';
import { policyOf } from './policy.ts';
import { BUNDLES, EVERY_SETTING, synthesizeWith } from './synthesized.ts';

const engine = useEngine();

/** @returns a table with facts through 2026-03-03, loaded as `npm run load` does it */
async function loadedTable(): Promise<TestTable> {
  const made = await engine.createTable();
  using folder = folderOf({ ...NETWORK, ...FACTS });
  await loadFolder({ userIdKey, folder: folder.path, table: made.table, timeZone: 'UTC', limits: { threads: 0 } });
  return made;
}

test('the age of the data is the time since the latest day of the table that is furthest behind ended, in the platform’s time zone', async () => {
  const { table } = await loadedTable();
  const ageAt = async (time: string, timeZone: string) => {
    const ages = await readDeliveryAges(table, timeZone, () => Date.parse(time));
    return ages.filter(({ experience }) => experience === 'pla');
  };
  const pla = { experience: 'pla', table: 'activity', latestDay: '2026-03-02' }; // delivery ends a day later
  expect(await ageAt('2026-03-04T00:00:00Z', 'UTC')).toEqual([{ ...pla, hoursSinceDelivery: 24 }]);
  expect(await ageAt('2026-03-05T12:30:00Z', 'UTC')).toEqual([{ ...pla, hoursSinceDelivery: 60.5 }]);
  expect(await ageAt('2026-03-04T00:00:00Z', 'America/New_York')).toEqual([{ ...pla, hoursSinceDelivery: 19 }]);
});

test('an experience without facts has no age, so that its alarm enters the ALARM state because of missing data', async () => {
  const { table } = await engine.createTable();
  expect(await readDeliveryAges(table, 'UTC', Date.now)).toEqual([]);
});

/** Loads so often that the platform's fact head, with its recent versions, does not fit into its item. */
async function loadManyDays({ table }: TestTable): Promise<void> {
  for (let day = 10; day < 31; day++) {
    const [row] = FACTS['facts/pla/delivery'] ?? [];
    using folder = folderOf({ 'facts/pla/delivery': [{ ...row, daily_date: `2026-03-${day}` }] });
    const options = { userIdKey, folder: folder.path, table, timeZone: 'UTC', limits: { threads: 0 } };
    expect(await loadFolder(options)).toMatchObject({ outcome: 'loaded', problems: [] });
  }
}

test('the deployed bundle logs the age of the data of each experience as a metric, also after many loads, with only its permissions', async () => {
  const made = await loadedTable();
  await loadManyDays(made);
  const { tableName } = made;
  const policy = policyOf(synthesizeWith(EVERY_SETTING), 'FreshnessMeasureFreshness');
  await using guarded = await guardTable(engine.endpoint, policy);
  const script = `
    const { handler } = await import(process.argv[1]);
    await handler({}, { awsRequestId: 'l-1', functionName: 'Endcap-MeasureFreshness' });`;
  const bundle = join(BUNDLES, 'measure-freshness/index.mjs');
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script, bundle], {
    env: { ...process.env, TABLE_NAME: tableName, TIME_ZONE: 'UTC', AWS_ENDPOINT_URL_DYNAMODB: guarded.endpoint },
  });
  expect(guarded.denied).toEqual([]);
  const lines = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines.find(({ experience }) => experience === 'pla')).toEqual({
    timestamp: expect.stringMatching(/Z$/),
    level: 'INFO',
    message: 'freshness',
    lambdaRequestId: 'l-1',
    experience: 'pla',
    ...{ table: 'activity', latestDay: '2026-03-02' },
    hoursSinceDelivery: expect.any(Number),
    functionName: 'Endcap-MeasureFreshness',
    _aws: {
      Timestamp: expect.any(Number),
      CloudWatchMetrics: [
        {
          Namespace: 'Endcap',
          Dimensions: [['functionName', 'experience']],
          Metrics: [{ Name: 'hoursSinceDelivery' }],
        },
      ],
    },
  });
});
