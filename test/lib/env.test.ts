import { afterEach, expect, test, vi } from 'vitest';
import { readEnv } from '../../shared/lib/env.ts';
import { defaultProvider } from '../../shared/lib/sdk/environment-credentials.ts';

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

afterEach(() => vi.unstubAllEnvs());

const stub = (id: string, secret: string, token: string) => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', id);
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', secret);
  vi.stubEnv('AWS_SESSION_TOKEN', token);
};

test('the provider reads the credentials from the environment when it is called', async () => {
  const provider = defaultProvider();
  stub('ASIA1', 'secret', 'session');
  expect(await provider()).toEqual({ accessKeyId: 'ASIA1', secretAccessKey: 'secret', sessionToken: 'session' });
});

test('the credentials have no session token if the environment has none', async () => {
  stub('AKIA1', 'secret', '');
  expect(await defaultProvider()()).toEqual({ accessKeyId: 'AKIA1', secretAccessKey: 'secret' });
});

test('the provider names the variables that are missing', async () => {
  stub('', '', '');
  await expect(defaultProvider()()).rejects.toThrow('the environment lacks AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY');
});
