import type { APIGatewayProxyResult } from 'aws-lambda';
import { EXPOSED_HEADERS } from '../../contract/header-names.ts';
import { type ApiEvent, type ApiRequest, headerValues } from '../message/api-request.ts';

/** The headers that a request may have besides those that browsers always allow. */
const ALLOWED_HEADERS = 'Authorization, Content-Type, Ocp-Apim-Subscription-Key';

/** The longest time for which Chromium keeps the response to a preflight. */
const MAX_AGE_S = 7_200;

/**
 * @returns the origins of the setting `corsOrigins`, from the variable CORS_ORIGINS; none without it
 * @throws Error if CORS_ORIGINS is not a list of texts; SyntaxError if it is not JSON
 */
export function readCorsOrigins(): ReadonlySet<string> {
  const given: unknown = JSON.parse(process.env.CORS_ORIGINS ?? '[]');
  if (!Array.isArray(given) || !given.every((origin) => typeof origin === 'string'))
    throw new Error('the variable CORS_ORIGINS is not a list of origins');
  return new Set(given);
}

/**
 * @returns the headers by which a browser lets a script of one of the origins read the response. For other origins only `Vary`, because a cache must not
 * give one origin the response to another; {} if no origins are given.
 */
export function corsHeaders(
  event: Pick<ApiEvent, 'multiValueHeaders'>,
  origins: ReadonlySet<string>,
): Record<string, string> {
  if (origins.size === 0) return {};
  const origin = allowedOrigin(event, origins);
  const access =
    origin === undefined
      ? {}
      : { 'Access-Control-Allow-Origin': origin, 'Access-Control-Expose-Headers': EXPOSED_HEADERS.join(', ') };
  return { ...access, Vary: 'Origin' };
}

/**
 * Responds to preflights of the origins. It returns early, because nothing of the chain applies to them: they have neither a key nor a body. All other
 * requests with the method OPTIONS are rejected like any wrong method.
 */
export const preflight = (origins: ReadonlySet<string>, method: 'GET' | 'POST') => ({
  before: ({ event }: ApiRequest): APIGatewayProxyResult | undefined => {
    const isPreflight =
      event.httpMethod === 'OPTIONS' && headerValues(event, 'access-control-request-method').length > 0;
    if (!isPreflight || allowedOrigin(event, origins) === undefined) return undefined;
    return {
      statusCode: 204,
      headers: {
        ...event.state.cors,
        'Access-Control-Allow-Methods': method,
        'Access-Control-Allow-Headers': ALLOWED_HEADERS,
        'Access-Control-Max-Age': String(MAX_AGE_S),
        'Cache-Control': 'no-store',
        'x-request-id': event.state.requestId,
      },
      body: '',
    };
  },
});

function allowedOrigin(event: Pick<ApiEvent, 'multiValueHeaders'>, origins: ReadonlySet<string>): string | undefined {
  const [origin, ...others] = headerValues(event, 'origin');
  return origin !== undefined && others.length === 0 && origins.has(origin) ? origin : undefined;
}
