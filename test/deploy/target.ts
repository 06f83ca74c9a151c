import { request as startRequest } from 'node:http';
import { request as startSecureRequest } from 'node:https';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';

/** A request to the API; its path does not include the stage. */
export interface ApiRequest {
  readonly path: string;
  readonly method?: string;
  /** The key in the header; absent = none. */
  readonly as?: KeyName;
  /** The name of that header; default: as documented. */
  readonly keyHeader?: string;
  /** The query parameters in order; a name may occur twice. */
  readonly query?: readonly (readonly [name: string, value: string])[];
  /** A key for the parameter `subscription-key`. */
  readonly keyInQuery?: KeyName;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON, unless it is a string. */
  readonly body?: unknown;
}

export interface ApiResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body, decompressed if necessary. */
  readonly bytes: Buffer;
  readonly text: string;
}

/** `agency` and `cpg` are keys of users of the demo network, `other` that of a user who shares an account with `cpg`; `revoked` was a key of `agency`. */
export type KeyName = 'agency' | 'cpg' | 'other' | 'revoked';

/** A running service that the suites test. */
export interface Target {
  readonly name: string;
  readonly keys: ReadonlyMap<KeyName, string>;
  send(request: ApiRequest): Promise<ApiResponse>;
  /** Loads a folder; absent if the tests must not write to the table. */
  load?(folder: string): Promise<void>;
}

/**
 * @param options.url includes the stage
 * @param options.host the Host header, if it differs from the URL's host
 */
export function openTarget(options: {
  readonly name: string;
  readonly url: string;
  readonly keys: ReadonlyMap<KeyName, string>;
  readonly host?: string;
  readonly load?: (folder: string) => Promise<void>;
}): Target {
  const { name, url, keys, host, load } = options;
  const keyOf = (keyName: KeyName): string => {
    const key = keys.get(keyName);
    if (key === undefined) throw new Error(`${name} has no key ${keyName}`);
    return key;
  };
  const send = (request: ApiRequest): Promise<ApiResponse> => {
    const query = new URLSearchParams((request.query ?? []).map(([key, value]): [string, string] => [key, value]));
    if (request.keyInQuery !== undefined) query.append('subscription-key', keyOf(request.keyInQuery));
    const target = new URL(url + request.path + (query.size > 0 ? `?${query}` : ''));
    const body = typeof request.body === 'string' ? request.body : JSON.stringify(request.body);
    const headers = {
      ...(request.as === undefined ? {} : { [request.keyHeader ?? 'Ocp-Apim-Subscription-Key']: keyOf(request.as) }),
      ...(body === undefined
        ? {}
        : { 'Content-Type': 'application/json', 'Content-Length': String(Buffer.byteLength(body)) }),
      ...request.headers,
      ...(host === undefined ? {} : { Host: host }),
    };
    return exchange(target, { method: request.method ?? 'GET', headers, body });
  };
  return { name, keys, send, ...(load === undefined ? {} : { load }) };
}

/** Uses node:http, because fetch cannot send another Host header, nor a body with GET. */
function exchange(
  url: URL,
  { method, headers, body }: { method: string; headers: Record<string, string>; body: string | undefined },
): Promise<ApiResponse> {
  const { promise, resolve, reject } = Promise.withResolvers<ApiResponse>();
  const start = url.protocol === 'https:' ? startSecureRequest : startRequest;
  const outgoing = start(url, { method, headers }, async (response) => {
    try {
      const chunks: Buffer[] = [];
      for await (const chunk of response) chunks.push(chunk);
      const names = Object.entries(response.headers).map(([name, value]) => [name, [value].flat().join(', ')]);
      const body = Buffer.concat(chunks);
      const bytes = decode(body, response.headers['content-encoding']);
      resolve({ status: response.statusCode ?? 0, headers: Object.fromEntries(names), bytes, text: bytes.toString() });
    } catch (error) {
      reject(error);
    }
  });
  outgoing.on('error', reject);
  outgoing.end(body);
  return promise;
}

function decode(body: Buffer, coding: string | undefined): Buffer {
  if (coding === 'gzip') return gunzipSync(body);
  return coding === 'br' ? brotliDecompressSync(body) : body;
}
