import { afterAll, expect, test } from 'vitest';
import { onDemoDay } from '../support/on-demo-day.ts';
import { startTestStage } from '../support/stage.ts';
import { RECIPES } from './readme.ts';

const stage = await startTestStage({ demo: true });
afterAll(() => stage.close());

test.each(RECIPES)('the response of recipe $title is that of the demo network', async ({ path, request, response }) => {
  const { status, json } = await stage.request({
    method: 'POST',
    url: `/v2${path}`,
    headers: { 'Content-Type': 'application/json', 'Ocp-Apim-Subscription-Key': 'ecap_demo_agency' },
    body: onDemoDay(request),
  });
  expect(status).toBe(200);
  expect(json()).toMatchObject(JSON.parse(response));
});
