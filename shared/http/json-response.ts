import type { APIGatewayProxyResult } from 'aws-lambda';
import type { RequestState } from './api-request.ts';

/** What a handler returns for a response with status 200. */
export interface HandlerResult {
  /** An object, the JSON text of one, or that text in the Content-Encoding of the headers. */
  readonly body: object | string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

/** @returns the gateway's response, with the headers that all responses have, errors included */
export function respond(
  state: RequestState,
  status: number,
  mediaType: 'application/json' | 'application/problem+json',
  { body, headers }: HandlerResult,
): APIGatewayProxyResult {
  return {
    statusCode: status,
    headers: {
      'Content-Type': mediaType,
      // responses differ by key, and the URL may contain the key
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
      'x-request-id': state.requestId,
      ...state.admission?.headers(),
      ...state.cors,
      ...headers,
      ...mergeVary(state.cors.Vary, headers?.Vary),
    },
    ...(body instanceof Buffer
      ? { body: body.toString('base64'), isBase64Encoded: true }
      : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  };
}

/** @returns one Vary header with the request headers of both */
function mergeVary(...values: readonly (string | undefined)[]): Record<string, string> {
  const given = values.filter((value) => value !== undefined);
  return given.length === 0 ? {} : { Vary: given.join(', ') };
}
