import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { type Clock, systemClock } from '../../lib/clock.ts';
import { asRecord } from './item.ts';

/** @returns the clock of the table, which all processes share: that of its latest response, exact to about a second. Before the first one, the system's */
export function followClock({ middlewareStack }: DynamoDBDocumentClient): Clock {
  let aheadMs = 0;
  middlewareStack.add(
    (next) => async (args) => {
      const result = await next(args);
      const date = Date.parse(String(asRecord(asRecord(result.response)?.headers)?.date));
      if (!Number.isNaN(date)) aheadMs = date - systemClock();
      return result;
    },
    { step: 'deserialize', name: 'followClock' },
  );
  return () => systemClock() + aheadMs;
}
