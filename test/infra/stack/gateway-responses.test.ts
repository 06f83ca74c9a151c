import { expect, test } from 'vitest';
import { GATEWAY_RESPONSES } from '../../../infra/stack/gateway-responses.ts';
import { deadlineExceeded } from '../../../shared/lib/deadline.ts';
import { readSource } from '../../rules/source-files.ts';

test('a 504 has the same text from the gateway as from a function, with the time in the documented limits', () => {
  const details = GATEWAY_RESPONSES.filter(({ code }) => code === 'DEADLINE_EXCEEDED').map(({ detail }) => detail);
  expect(details).toEqual([deadlineExceeded().message]);
  const [, limit] = /\| time per request \| (.*) \|/.exec(readSource('functions/README.md')) ?? [];
  expect(details[0]).toContain(`not ready within ${limit}.`);
});
