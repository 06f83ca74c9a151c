import { type Client, createClient } from '../../../../shared/web/client/client.ts';
import { findRunningStage } from '../../../local/data-dir.ts';
import { DEMO_KEYS } from '../../../local/demo/demo-keys.ts';
import { isLocal, readCliEnvironment, useProxyFor } from '../../environment.ts';

/** The options with which a command selects the service and the key. */
export const SERVICE_OPTIONS = { url: { type: 'string' }, key: { type: 'string' } } as const;

export const SERVICE_USAGE = `  --url URL          the service, with its version: https://api.example.com/v2; default: ENDCAP_URL, else the local stage
  --key KEY          API key; default: ENDCAP_KEY, else the agency's key of the demo network on the local stage`;

export interface Service {
  readonly client: Client;
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
  return { client: createClient({ url, key }), url };
}

async function localUrl(): Promise<string> {
  const { dataDir, port } = readCliEnvironment();
  const running = await findRunningStage(dataDir);
  return `${running?.url ?? `http://localhost:${port}`}/v2`;
}
