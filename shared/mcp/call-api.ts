import { toEndcapError } from '../web/client/endcap-error.ts';

/**
 * Calls an operation of the API with the caller's key: a GET, or a POST with a body.
 * @returns JSON with the type that the contract states
 * @throws EndcapError if the API rejects the request
 */
export type CallApi = <Result>(path: string, body?: object) => Promise<Result>;

/** @param send sends the request: over HTTP, or in the process of the API */
export function callWith(send: (path: string, body?: object) => Promise<Response>): CallApi {
  return async (path, body) => {
    const response = await send(path, body);
    const result = parse(await response.text());
    if (!response.ok || result === undefined) throw toEndcapError(response, result);
    return result;
  };
}

/** @returns undefined unless the text is JSON */
function parse(text: string) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
