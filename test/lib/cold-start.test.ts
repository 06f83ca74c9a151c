import { afterEach, expect, test, vi } from 'vitest';

afterEach(() => vi.unstubAllEnvs());

test.each([
  ['on-demand', [true, false, false]],
  ['provisioned-concurrency', [false, false, false]],
])('whether the first invocations of an instance with %s are cold starts is %j', async (type, expected) => {
  vi.stubEnv('AWS_LAMBDA_INITIALIZATION_TYPE', type);
  vi.resetModules();
  const { isColdStart } = await import('../../shared/lib/cold-start.ts');
  expect([isColdStart(), isColdStart(), isColdStart()]).toEqual(expected);
});
