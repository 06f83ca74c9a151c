import { LOCAL_REGION } from '../template/resolve-value.ts';

/** Nothing on loopback checks them, but the SDK signs with some. */
export const LOCAL_CREDENTIALS = { accessKeyId: 'local', secretAccessKey: 'local' } as const;

/**
 * Makes this process's SDK clients sign with the local credentials, whatever the user's shell is set up for: a profile would otherwise be
 * asked, and might open a browser.
 */
export function useLocalCredentials(): void {
  for (const name of ['AWS_PROFILE', 'AWS_SESSION_TOKEN']) delete process.env[name];
  process.env.AWS_ACCESS_KEY_ID = LOCAL_CREDENTIALS.accessKeyId;
  process.env.AWS_SECRET_ACCESS_KEY = LOCAL_CREDENTIALS.secretAccessKey;
  process.env.AWS_REGION = LOCAL_REGION;
}
