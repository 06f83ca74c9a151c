import { afterAll, expect, test } from 'vitest';
import { DEMO_END, startTestStage } from '../support/stage.ts';
import { PAGE, RECIPES } from './readme.ts';

const stage = await startTestStage({ demo: true });
afterAll(() => stage.close());

test('the cookbook is written for the demo network of the tests', () => {
  expect(PAGE).toContain(`DEMO_END=${DEMO_END} `);
});

test.each(RECIPES)('the response of recipe $title is that of the demo network', async ({ path, request, response }) => {
  const { status, json } = await stage.request({
    method: 'POST',
    url: `/v2${path}`,
    headers: { 'Content-Type': 'application/json', 'Ocp-Apim-Subscription-Key': 'ecap_demo_agency' },
    body: request,
  });
  expect(status).toBe(200);
  expect(json()).toMatchObject(JSON.parse(response));
});
