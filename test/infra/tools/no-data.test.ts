import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { listAccess } from '../../../infra/tools/mcp/tools.ts';
import { describePartialUnits, findPeriod } from '../../../infra/tools/query/find-period.ts';
import { yesterdayIn } from '../../../shared/lib/calendar.ts';
import { type Client, createClient } from '../../../shared/web/client/client.ts';
import { startTestStage, type TestStage } from '../../support/stage.ts';

let stage: TestStage;
let client: Client;
beforeAll(async () => {
  stage = await startTestStage({ demo: true });
  client = createClient({ url: await stage.url(), key: 'ecap_demo_agency', fetch: withoutData('toa') });
});
afterAll(() => stage.close());

/** @returns a `fetch` with which the reports of the experience are those of a platform without data in it */
function withoutData(experience: string) {
  return async (request: Request) => {
    const response = await fetch(request);
    if (!request.url.endsWith(`/report/${experience}`)) return response;
    const text = await response.text();
    return new Response(text.replace(/"dataCompleteThrough":"[^"]*"/, '"dataCompleteThrough":null'), response);
  };
}

/** It reported yesterday as the last complete day. */
test('list_access reports which experience has no data', async () => {
  expect(await listAccess(client)).toContain(
    'Data is complete through: pla 2026-03-01, toa no data, carousel 2026-03-01.',
  );
});

test('a first day after yesterday is rejected where there is no data, and the message does not say that data ends then', async () => {
  const yesterday = yesterdayIn(stage.timeZone);
  const { meta } = await client.fields();
  await expect(findPeriod({ from: '9999-01-01' }, client, 'toa', meta)).rejects.toThrow(
    new Error(`the first day, 9999-01-01, is after ${yesterday}, on which a report without a last day ends`),
  );
});

test('relative dates are those of the platform’s time zone and weeks', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-04-01T03:00:00Z') }); // March 31, a Tuesday, in New York
  const { meta } = await client.fields();
  const find = (from: string, to: string, more: object = {}) =>
    findPeriod({ from, to }, client, 'pla', { ...meta, ...more });
  const lastMonth = await find('startOfMonth-1m', 'endOfMonth-1m');
  const lastWeek = await find('startOfWeek-1w', 'endOfWeek-1w', { weekStartsOn: 'Sunday' });
  vi.useRealTimers();
  expect(lastMonth).toEqual({ startDate: '2026-02-01', endDate: '2026-02-28' });
  expect(lastWeek).toEqual({ startDate: '2026-03-22', endDate: '2026-03-28' });
  expect(describePartialUnits(lastWeek, ['week_date'], 'Sunday')).toEqual([]);
  expect(describePartialUnits(lastMonth, ['week_date', 'quarter_date'], 'Saturday')).toEqual([
    'week_date: the week of 2026-01-31 has only 6 of its 7 days in the period',
    'week_date: the week of 2026-02-28 has only 1 of its 7 days in the period',
    'quarter_date: the quarter of 2026-01-01 has only 28 of its 90 days in the period',
  ]);
});
