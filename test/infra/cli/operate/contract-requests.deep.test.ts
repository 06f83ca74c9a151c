import { afterAll, beforeAll, expect, test } from 'vitest';
import { requestRoutes } from '../../../../infra/cli/operate/contract-requests.ts';
import { ROUTES } from '../../../../infra/config/routes.ts';
import { createKey } from '../../../../shared/identity/api-keys.ts';
import { startTestStage, type TestStage } from '../../../support/stage.ts';

let stage: TestStage;
let target: { url: string; key: string };

beforeAll(async () => {
  stage = await startTestStage({ demo: true });
  target = { url: await stage.url(), key: (await createKey(stage.table, 'demo-agency')).key };
});

afterAll(() => stage?.close());

/** `GET /metadata/ad_groups` sent the member `experience`, which is not in the contract. */
test('every route sends the response of the contract', async () => {
  const times = await requestRoutes(target, 2);
  expect([...times].map(([route, { length }]) => [route, length])).toEqual(
    ROUTES.map(({ method, path }) => [`${method} ${path}`, 2]),
  );
});

test.each([
  [
    'a key that is not valid',
    () => ({ ...target, key: 'ecap_wrong' }),
    /^\/metadata\/accounts: the status is 401: .*KEY_INVALID/,
  ],
  ['an address where nothing listens', () => ({ ...target, url: 'http://127.0.0.1:1/v2' }), /^fetch failed$/],
])('%s fails at the first route', async (_, other, message) => {
  await expect(requestRoutes(other(), 1)).rejects.toThrow(message);
});
