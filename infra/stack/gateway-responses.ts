import { ResponseType } from 'aws-cdk-lib/aws-apigateway';
import { problemKind } from '../../shared/contract/problem.ts';
import type { ProblemCode } from '../../shared/lib/errors.ts';

export interface GatewayResponse {
  readonly type: ResponseType;
  readonly code: ProblemCode;
  readonly detail: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const NO_SUCH_PATH = 'There is nothing under this path. The paths are listed in the OpenAPI document.';
const TOO_MANY = 'More requests arrive than this service takes. Try again after the time in Retry-After.';
const RETRY_SOON = { 'Retry-After': '1' };

/**
 * What API Gateway answers by itself, in the service's own error body.
 * No method asks for IAM, a gateway API key or an authorizer, so the answers that speak of tokens and signatures mean only one thing: the path
 * is unknown (with an `Authorization` header API Gateway takes an unknown path for a badly signed call).
 */
export const GATEWAY_RESPONSES: readonly GatewayResponse[] = [
  { type: ResponseType.MISSING_AUTHENTICATION_TOKEN, code: 'NOT_FOUND', detail: NO_SUCH_PATH },
  { type: ResponseType.INVALID_SIGNATURE, code: 'NOT_FOUND', detail: NO_SUCH_PATH },
  { type: ResponseType.EXPIRED_TOKEN, code: 'NOT_FOUND', detail: NO_SUCH_PATH },
  { type: ResponseType.ACCESS_DENIED, code: 'NOT_FOUND', detail: NO_SUCH_PATH },
  { type: ResponseType.RESOURCE_NOT_FOUND, code: 'NOT_FOUND', detail: NO_SUCH_PATH },
  { type: ResponseType.THROTTLED, code: 'TOO_MANY_REQUESTS', detail: TOO_MANY, headers: RETRY_SOON },
  { type: ResponseType.QUOTA_EXCEEDED, code: 'TOO_MANY_REQUESTS', detail: TOO_MANY, headers: RETRY_SOON },
  {
    type: ResponseType.WAF_FILTERED,
    code: 'TOO_MANY_REQUESTS',
    detail:
      'Too many requests come from this address, or it is known for abuse. Try again after the time in Retry-After.',
    headers: { 'Retry-After': '300' },
  },
  {
    type: ResponseType.REQUEST_TOO_LARGE,
    code: 'PAYLOAD_TOO_LARGE',
    detail: 'The body is larger than 10 MB; at most 1 MB is taken.',
  },
  {
    type: ResponseType.UNSUPPORTED_MEDIA_TYPE,
    code: 'UNSUPPORTED_MEDIA_TYPE',
    detail: 'The body is not encoded as Content-Encoding says. Send it as it is, or encoded with gzip or deflate.',
  },
  {
    // what API Gateway makes of Lambda's 429: the account or the function has no instance left
    type: ResponseType.INTEGRATION_FAILURE,
    code: 'SERVICE_BUSY',
    detail: 'The service has more to do than it can at the moment. Try again after the time in Retry-After.',
    headers: RETRY_SOON,
  },
  {
    type: ResponseType.INTEGRATION_TIMEOUT,
    code: 'DEADLINE_EXCEEDED',
    detail: 'The answer was not ready within 29 seconds. Ask for less: a shorter period, fewer dimensions.',
  },
  {
    type: ResponseType.DEFAULT_4XX,
    code: 'INVALID_REQUEST',
    detail: 'The request could not be read as an HTTP request to this service.',
  },
  { type: ResponseType.DEFAULT_5XX, code: 'INTERNAL_ERROR', detail: 'Something went wrong on our side.' },
];

/** As on every answer of the service; the request's id comes from API Gateway itself, as `x-amzn-RequestId`. */
export const GATEWAY_HEADERS: Readonly<Record<string, string>> = {
  'Content-Type': 'application/problem+json',
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
};

/**
 * The body template of an answer: the service's problem body without `occurredAt` and `instance`, which API Gateway cannot make (its templates
 * only substitute variables: there is no ISO time, and the path it has may hold what the caller should not see again).
 */
export function gatewayBody({ code, detail }: Pick<GatewayResponse, 'code' | 'detail'>): string {
  return JSON.stringify({ ...problemKind(code), detail, requestId: '$context.requestId', errors: [], message: detail });
}
