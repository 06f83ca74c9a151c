import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { EXPOSED_HEADERS } from '../../contract/header-names.ts';
import { type ApiContext, type ApiMiddleware, headerValues, type Method } from '../message/api-request.ts';

/** The headers that a request may have besides those that browsers always allow; those of MCP are for agents in pages. */
const ALLOWED_HEADERS =
  'Authorization, Content-Type, Ocp-Apim-Subscription-Key, Mcp-Method, Mcp-Name, Mcp-Protocol-Version';

/** The longest time for which Chromium keeps the response to a preflight. */
const MAX_AGE_S = 7_200;

/**
 * Lets scripts of the origins in the variable CORS_ORIGINS read responses, and responds to their preflights. It does that early, because nothing else of the
 * chain applies to them: they have neither a key nor a body. All other requests with the method OPTIONS are rejected like any wrong method.
 * @throws Error if CORS_ORIGINS is not a list of texts; SyntaxError if it is not JSON
 */
export const cors = (methods: readonly Method[]): ApiMiddleware => {
  const origins = readCorsOrigins();
  return {
    before: ({ event, context }) => {
      if (origins.size === 0) return undefined;
      const origin = allowedOrigin(event, origins);
      context.state.cors = originHeaders(origin);
      const isPreflight =
        event.httpMethod === 'OPTIONS' && headerValues(event, 'access-control-request-method').length > 0;
      return isPreflight && origin !== undefined ? preflightResponse(context, methods) : undefined;
    },
  };
};

/** @returns the origins of the setting `corsOrigins`; none without the variable */
function readCorsOrigins(): ReadonlySet<string> {
  const given: unknown = JSON.parse(process.env.CORS_ORIGINS ?? '[]');
  if (!Array.isArray(given) || !given.every((origin) => typeof origin === 'string'))
    throw new Error('the variable CORS_ORIGINS is not a list of origins');
  return new Set(given);
}

/** For other origins only `Vary`, because a cache must not give one origin the response to another. */
function originHeaders(origin: string | undefined): Record<string, string> {
  const access =
    origin === undefined
      ? {}
      : { 'Access-Control-Allow-Origin': origin, 'Access-Control-Expose-Headers': EXPOSED_HEADERS.join(', ') };
  return { ...access, Vary: 'Origin' };
}

function preflightResponse({ state }: ApiContext, methods: readonly Method[]): APIGatewayProxyResult {
  return {
    statusCode: 204,
    headers: {
      ...state.cors,
      'Access-Control-Allow-Methods': methods.join(', '),
      'Access-Control-Allow-Headers': ALLOWED_HEADERS,
      'Access-Control-Max-Age': String(MAX_AGE_S),
      'Cache-Control': 'no-store',
      'x-request-id': state.requestId,
    },
    body: '',
  };
}

function allowedOrigin(event: APIGatewayProxyEvent, origins: ReadonlySet<string>): string | undefined {
  const [origin, ...others] = headerValues(event, 'origin');
  return origin !== undefined && others.length === 0 && origins.has(origin) ? origin : undefined;
}
