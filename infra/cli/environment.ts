import { setGlobalProxyFromEnv } from 'node:http';
import { resolve } from 'node:path';
import { parseDate } from '../../shared/lib/calendar.ts';
import { DEFAULT_DATA_DIR } from '../local/data-dir.ts';

/** Sets the variables from which the SDK takes the region and the profile; undefined = leaves them as they are. */
export function setAwsEnvironment({
  region,
  profile,
}: {
  readonly region: string | undefined;
  readonly profile: string | undefined;
}): void {
  if (region !== undefined) process.env.AWS_REGION = region;
  if (profile !== undefined) process.env.AWS_PROFILE = profile;
}

/** @returns whether the service runs on this machine */
export function isLocal(url: string): boolean {
  return URL.canParse(url) && ['localhost', '127.0.0.1', '[::1]'].includes(new URL(url).hostname);
}

/** Sends all requests of `fetch` through the proxy of HTTPS_PROXY or HTTP_PROXY, as NO_PROXY allows, unless the service runs on this machine. */
export function useProxyFor(url: string): void {
  if (!isLocal(url)) setGlobalProxyFromEnv();
}

/**
 * @returns the environment variables that local commands read: `dataDir` is absolute, `demoEnd` the last day of the demo network, undefined = yesterday in the
 * platform's zone, `logsJson` whether the local stage prints log lines as JSON
 * @throws an error with a one-line message that names the variable and its valid values
 */
export function readCliEnvironment(env: Readonly<Record<string, string | undefined>> = process.env) {
  const { PORT = '3000', DATA_DIR, DEMO_END: demoEnd, LOG } = env;
  const port = Number(PORT);
  if (!/^\d+$/.test(PORT) || port > 65_535)
    throw new Error(`PORT is ${PORT}; it must be 0 to 65535 (0: any free port)`);
  if (demoEnd !== undefined && parseDate(demoEnd) === undefined) {
    throw new Error(`DEMO_END is ${demoEnd}; it must be a date such as 2026-03-01`);
  }
  if (LOG !== undefined && LOG !== 'json') throw new Error(`LOG is ${LOG}; it must be json, or not set`);
  return { port, dataDir: resolve(DATA_DIR || DEFAULT_DATA_DIR), demoEnd, logsJson: LOG === 'json' };
}
