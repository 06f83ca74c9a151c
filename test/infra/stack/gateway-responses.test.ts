import { expect, test } from 'vitest';
import { GATEWAY_RESPONSES } from '../../../infra/config/gateway-responses.ts';
import { ROUTES } from '../../../infra/config/routes.ts';
import { RESERVE_MS } from '../../../shared/http/chain/open-chain.ts';
import { deadlineExceeded } from '../../../shared/lib/deadline.ts';
import { PROBLEMS } from '../../../shared/lib/errors.ts';
import { readSource } from '../../rules/source-files.ts';

test('a 504 has the same text from the gateway as from a function', () => {
  const details = GATEWAY_RESPONSES.filter(({ code }) => code === 'DEADLINE_EXCEEDED').map(({ detail }) => detail);
  expect(details).toEqual([deadlineExceeded().message]);
});

test('the documented time per request is the time limit of reports, less the time for sending the 504', () => {
  const { timeout } = ROUTES.find(({ path }) => path === '/report/{experience_name}') ?? {};
  expect(readSource('functions/README.md')).toContain(
    `| time per request | ${Number(timeout) - RESERVE_MS / 1000} seconds |`,
  );
});

test('the gateway’s 415, which is about Content-Encoding, has a title that fits it, and is documented with the header of its id', () => {
  const [response] = GATEWAY_RESPONSES.filter(({ code }) => code === 'UNSUPPORTED_MEDIA_TYPE');
  expect(response?.detail).toContain('Content-Encoding');
  expect(PROBLEMS.UNSUPPORTED_MEDIA_TYPE.title).toBe('The type or encoding of the body is not supported');
  const page = readSource('functions/README.md');
  expect(page).toContain('their id is in the header `x-amzn-RequestId` instead of `x-request-id`');
  expect(page.replaceAll(/\s+/g, ' ')).toContain('One of them is a 415: the `Content-Encoding` is not');
});
