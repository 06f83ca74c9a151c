import { afterEach, expect, test, vi } from 'vitest';
import { readEnv } from '../../shared/lib/env.ts';

afterEach(() => vi.unstubAllEnvs());

test('readEnv returns the requested environment variables', () => {
  vi.stubEnv('TABLE_NAME', 'endcap');
  vi.stubEnv('CURRENCY', 'USD');
  expect(readEnv(['TABLE_NAME', 'CURRENCY'])).toEqual({ TABLE_NAME: 'endcap', CURRENCY: 'USD' });
});

test('readEnv names all variables that are missing or empty in one error', () => {
  vi.stubEnv('TABLE_NAME', 'endcap');
  vi.stubEnv('CURRENCY', '');
  vi.stubEnv('TIME_ZONE', undefined);
  expect(() => readEnv(['TIME_ZONE', 'TABLE_NAME', 'CURRENCY'])).toThrow('the environment lacks TIME_ZONE, CURRENCY');
});
