import type { Context } from 'aws-lambda';
import { systemClock } from '../../shared/lib/clock.ts';
import { readEnv } from '../../shared/lib/env.ts';
import { logFreshness } from '../../shared/lib/log.ts';
import { readDeliveryAges } from '../../shared/store/facts/delivery-age.ts';
import { openTable } from '../../shared/store/table/table.ts';

const { TABLE_NAME, TIME_ZONE } = readEnv(['TABLE_NAME', 'TIME_ZONE']);
const table = openTable({ tableName: TABLE_NAME });

/** A scheduled event: logs for each experience with facts how old the latest day of its oldest table is, as a metric. */
export async function handler(_event: unknown, context: Context): Promise<void> {
  const ids = { lambdaRequestId: context.awsRequestId };
  for (const age of await readDeliveryAges(table, TIME_ZONE, systemClock)) {
    logFreshness({ ...ids, ...age, functionName: context.functionName });
  }
}
