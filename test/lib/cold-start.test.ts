import { afterEach, expect, test, vi } from 'vitest';
import { trackColdStart } from '../../shared/lib/cold-start.ts';

afterEach(() => vi.unstubAllEnvs());

test.each([
  ['on-demand', [true, false, false]],
  ['provisioned-concurrency', [false, false, false]],
])('whether the first invocations of an instance with %s are cold starts is %j', (type, expected) => {
  vi.stubEnv('AWS_LAMBDA_INITIALIZATION_TYPE', type);
  const isColdStart = trackColdStart();
  expect([isColdStart(), isColdStart(), isColdStart()]).toEqual(expected);
});
