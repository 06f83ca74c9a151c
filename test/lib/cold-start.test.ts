import { afterEach, expect, test, vi } from 'vitest';

afterEach(() => vi.unstubAllEnvs());

test.each([
  ['on-demand', [true, false, false]],
  ['provisioned-concurrency', [false, false, false]],
])('of the invocations of an instance with %s, %j waited for it to load its code', async (type, expected) => {
  vi.stubEnv('AWS_LAMBDA_INITIALIZATION_TYPE', type);
  vi.resetModules();
  const { isColdStart } = await import('../../shared/lib/cold-start.ts');
  expect([isColdStart(), isColdStart(), isColdStart()]).toEqual(expected);
});
