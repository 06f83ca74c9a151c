import { KEY_HEADER } from '../../../shared/http/api-key.ts';
import { type CallApi, callWith } from '../../../shared/mcp/call-api.ts';
import { type Fetch, fetchWithRetries } from '../../../shared/web/client/fetch-with-retries.ts';
import { findRunningStage } from '../../local/data-dir.ts';
import { DEMO_KEYS } from '../../local/demo/demo-keys.ts';
import { isLocal, readCliEnvironment, useProxyFor } from '../environment.ts';

/** The options with which a command selects the service and the key. */
export const SERVICE_OPTIONS = { url: { type: 'string' }, key: { type: 'string' } } as const;

export const SERVICE_USAGE = `  --url URL          the service, with its version: https://api.example.com/v2; default: ENDCAP_URL, else the local stage
  --key KEY          API key; default: ENDCAP_KEY, else the agency's key of the demo network on the local stage`;

export interface Service {
  readonly call: CallApi;
  readonly url: string;
}

/**
 * @returns the service, which is not called yet
 * @throws Error if the URL does not end with /v2, there is no key and the service is not on this machine, PORT or DEMO_END is invalid, or the state of the local stage is damaged
 */
export async function openService(options: {
  readonly url?: string | undefined;
  readonly key?: string | undefined;
}): Promise<Service> {
  // a variable may be empty, as from a secret that is not set
  const given = options.url ?? (process.env.ENDCAP_URL || undefined);
  const url = (given ?? (await localUrl())).replace(/\/+$/, '');
  // the first demo key is the agency's
  const key =
    options.key ?? (process.env.ENDCAP_KEY || undefined) ?? (isLocal(url) ? Object.keys(DEMO_KEYS)[0] : undefined);
  if (!url.endsWith('/v2')) throw new Error(`the URL must end with /v2: ${url}/v2 instead of ${url}?`);
  if (key === undefined) throw new Error(`${url} needs an API key: use --key or ENDCAP_KEY`);
  useProxyFor(url);
  return { call: callOverHttp(url, key), url };
}

/** @returns calls of the service, which are repeated after failures for a passing reason */
export function callOverHttp(url: string, key: string, fetch: Fetch = globalThis.fetch): CallApi {
  const send = fetchWithRetries(fetch, {});
  const headers = { [KEY_HEADER]: key, Accept: 'application/json', 'Content-Type': 'application/json' };
  return callWith(async (path, body) => {
    const post = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
    try {
      // fetch would send the key's header to the host of a redirect
      return await send(new Request(`${url}${path}`, { headers, redirect: 'error', ...post }));
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      const reason = error.cause instanceof Error && error.cause.message !== '' ? ` (${error.cause.message})` : '';
      const advice = isLocal(url) ? '`npm start` starts a service, --url names another' : 'is the URL right?';
      throw new Error(`${url} cannot be reached${reason}: ${advice}`, { cause: error });
    }
  });
}

async function localUrl(): Promise<string> {
  const { dataDir, port } = readCliEnvironment();
  const running = await findRunningStage(dataDir);
  return `${running?.url ?? `http://localhost:${port}`}/v2`;
}
