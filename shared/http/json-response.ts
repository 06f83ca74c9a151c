import type { APIGatewayProxyResult } from 'aws-lambda';
import type { RequestState } from './api-request.ts';

/** What an endpoint answers with status 200: an object, or the JSON text of one. */
export interface Answer {
  readonly body: object | string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** @returns a response with the headers that every answer of the service has, good or bad. */
export function respond(
  state: RequestState,
  status: number,
  mediaType: 'application/json' | 'application/problem+json',
  { body, headers }: Answer,
): APIGatewayProxyResult {
  return {
    statusCode: status,
    headers: {
      'Content-Type': mediaType,
      // answers differ by key, and the key may stand in the address
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
      'x-request-id': state.requestId,
      ...headers,
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  };
}
