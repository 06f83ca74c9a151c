import { request as startRequest } from 'node:http';
import { request as startSecureRequest } from 'node:https';
import { gunzipSync } from 'node:zlib';

/** A request, with its path under the stage. */
export interface Ask {
  readonly path: string;
  readonly method?: string;
  /** Whose key goes into the header; none where it is absent. */
  readonly as?: KeyName;
  /** How the name of that header is written; as documented unless given. */
  readonly keyHeader?: string;
  /** Appended as they are, encoded, in order; a name may come twice. */
  readonly query?: readonly (readonly [name: string, value: string])[];
  /** The same with a key, whose value only the target knows. */
  readonly keyInQuery?: KeyName;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON; text as it stands. */
  readonly body?: unknown;
}

export interface Reply {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body, decoded where it was sent compressed. */
  readonly text: string;
}

/** `agency` and `cpg` are users of the demo network, `other` one that shares an account with `cpg`; `revoked` was `agency`'s. */
export type KeyName = 'agency' | 'cpg' | 'other' | 'revoked';

/** The service somewhere: what the suite asks. */
export interface Target {
  readonly name: string;
  readonly keys: ReadonlyMap<KeyName, string>;
  send(ask: Ask): Promise<Reply>;
  /** `npm run load`; absent where the table is not ours to write to. */
  load?(folder: string): Promise<void>;
}

/**
 * @param url with the stage
 * @param host the host that is asked for, where it is not the one that is connected to
 */
export function openTarget(options: {
  readonly name: string;
  readonly url: string;
  readonly keys: ReadonlyMap<KeyName, string>;
  readonly host?: string;
  readonly load?: (folder: string) => Promise<void>;
}): Target {
  const { name, url, keys, host, load } = options;
  const keyOf = (holder: KeyName): string => {
    const key = keys.get(holder);
    if (key === undefined) throw new Error(`${name} has no key for ${holder}`);
    return key;
  };
  const send = (ask: Ask): Promise<Reply> => {
    const query = new URLSearchParams((ask.query ?? []).map(([key, value]): [string, string] => [key, value]));
    if (ask.keyInQuery !== undefined) query.append('subscription-key', keyOf(ask.keyInQuery));
    const target = new URL(url + ask.path + (query.size > 0 ? `?${query}` : ''));
    const body = typeof ask.body === 'string' ? ask.body : JSON.stringify(ask.body);
    const headers = {
      ...(ask.as === undefined ? {} : { [ask.keyHeader ?? 'Ocp-Apim-Subscription-Key']: keyOf(ask.as) }),
      ...(body === undefined
        ? {}
        : { 'Content-Type': 'application/json', 'Content-Length': String(Buffer.byteLength(body)) }),
      ...ask.headers,
      ...(host === undefined ? {} : { Host: host }),
    };
    return exchange(target, { method: ask.method ?? 'GET', headers, body });
  };
  return { name, keys, send, ...(load === undefined ? {} : { load }) };
}

/** With node:http: fetch would neither send a Host of its own nor a GET's body. */
function exchange(
  url: URL,
  { method, headers, body }: { method: string; headers: Record<string, string>; body: string | undefined },
): Promise<Reply> {
  const { promise, resolve, reject } = Promise.withResolvers<Reply>();
  const start = url.protocol === 'https:' ? startSecureRequest : startRequest;
  const request = start(url, { method, headers }, async (response) => {
    try {
      const chunks: Buffer[] = [];
      for await (const chunk of response) chunks.push(chunk);
      const names = Object.entries(response.headers).map(([name, value]) => [name, [value].flat().join(', ')]);
      const body = Buffer.concat(chunks);
      const text = (response.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body).toString();
      resolve({ status: response.statusCode ?? 0, headers: Object.fromEntries(names), text });
    } catch (error) {
      reject(error);
    }
  });
  request.on('error', reject);
  request.end(body);
  return promise;
}
