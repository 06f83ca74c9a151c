import { afterAll, expect, test, vi } from 'vitest';
import { openTestService } from './support/test-service.ts';

vi.stubEnv('CONTACT', 'ads@example.com'); // read when the functions are made
const service = await openTestService();
const instance = await service.start();
vi.stubEnv('CONTACT', undefined); // tests in other files share the process
afterAll(() => service.close());

test.each([
  ['a missing key', 401, { key: null }, true],
  ['a foreign account', 403, { query: [['account_id', '3']] }, true],
  [
    'a wrong page',
    422,
    {
      query: [
        ['account_id', '1'],
        ['size', 'x'],
      ],
    },
    false,
  ],
] as const)('the error about %s (%i) names the contact of the operator: %j', async (_, status, request, isNamed) => {
  const { key, ...rest } = { key: 'key-ana', ...request };
  const response = await instance.send('list-contacts', key === null ? rest : { key, ...rest });
  const { detail, message } = Object(response.body);
  expect([response.status, /\. Questions: ads@example\.com$/.test(detail), message]).toEqual([status, isNamed, detail]);
});
