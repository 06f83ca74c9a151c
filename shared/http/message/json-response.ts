import type { APIGatewayProxyResult } from 'aws-lambda';
import { PARAMETER_WARNINGS } from '../../contract/header-names.ts';
import type { RequestState } from './api-request.ts';

/** Headers of all responses with a body. Browsers ignore Strict-Transport-Security on the local stage, because it is not served over HTTPS. */
export const SECURITY_HEADERS = {
  'Strict-Transport-Security': 'max-age=31536000',
  'X-Content-Type-Options': 'nosniff',
};

/** What a handler returns for a response with status 200. */
export interface HandlerResult {
  /** An object, which is sent as JSON; a text; or bytes, in the Content-Encoding of the headers if there is one. */
  readonly body: object | string | Buffer;
  /** JSON by default. */
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** @returns the gateway's response, with common headers, which the result's replace; `Vary` is joined */
export function respond(
  state: RequestState,
  status: number,
  { body, contentType = 'application/json', headers }: HandlerResult,
): APIGatewayProxyResult {
  return {
    statusCode: status,
    headers: {
      'Content-Type': contentType,
      // responses differ by key, and the URL may contain the key
      'Cache-Control': 'no-store',
      ...SECURITY_HEADERS,
      'x-request-id': state.requestId,
      ...state.admission?.headers(),
      ...(state.parameterWarnings === undefined ? {} : { [PARAMETER_WARNINGS]: state.parameterWarnings }),
      ...state.cors,
      ...headers,
      ...joinVary(state.representation && 'Accept', state.cors.Vary, headers?.Vary),
    },
    ...(body instanceof Buffer
      ? { body: body.toString('base64'), isBase64Encoded: true }
      : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  };
}

/** @returns one header Vary with the request headers of all, each once */
function joinVary(...values: readonly (string | undefined)[]): Record<string, string> {
  const names = new Set(values.flatMap((value) => value?.split(', ') ?? []));
  return names.size === 0 ? {} : { Vary: [...names].join(', ') };
}
