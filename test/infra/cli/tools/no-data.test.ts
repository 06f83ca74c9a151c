import { afterAll, beforeAll, expect, test } from 'vitest';
import { listAccess } from '../../../../infra/cli/tools/mcp/tools.ts';
import { type Client, createClient } from '../../../../shared/web/client/client.ts';
import { startTestStage, type TestStage } from '../../../support/stage.ts';

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
