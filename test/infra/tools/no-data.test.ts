import { afterAll, beforeAll, expect, test } from 'vitest';
import { listAccess } from '../../../infra/tools/mcp/tools.ts';
import { findPeriod } from '../../../infra/tools/query/find-period.ts';
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
