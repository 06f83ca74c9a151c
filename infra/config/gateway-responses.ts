import { problemKind } from '../../shared/contract/problem.ts';
import { SECURITY_HEADERS } from '../../shared/http/message/json-response.ts';
import { DEADLINE_DETAIL } from '../../shared/lib/deadline.ts';
import { PROBLEMS, type ProblemCode } from '../../shared/lib/errors.ts';

/** The types of gateway response that API Gateway can send here, in its own words. */
export type GatewayResponseType =
  | 'ACCESS_DENIED'
  | 'DEFAULT_4XX'
  | 'DEFAULT_5XX'
  | 'EXPIRED_TOKEN'
  | 'INTEGRATION_FAILURE'
  | 'INTEGRATION_TIMEOUT'
  | 'INVALID_SIGNATURE'
  | 'MISSING_AUTHENTICATION_TOKEN'
  | 'QUOTA_EXCEEDED'
  | 'REQUEST_TOO_LARGE'
  | 'RESOURCE_NOT_FOUND'
  | 'THROTTLED'
  | 'UNSUPPORTED_MEDIA_TYPE'
  | 'WAF_FILTERED';

interface GatewayResponse {
  readonly type: GatewayResponseType;
  readonly code: ProblemCode;
  readonly detail: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The status in the body if the response keeps the status that API Gateway gives it; absent = the code's status replaces it. */
  readonly usualStatus?: number;
}

const NO_SUCH_PATH = 'This path does not exist. The OpenAPI document lists all paths.';
const TOO_MANY = 'The service receives more requests than it accepts. Try again after the time in Retry-After.';
const RETRY_SOON = { 'Retry-After': '1' };

/**
 * The responses that API Gateway generates itself, in the service's own error format.
 * No method uses IAM, a gateway API key or an authorizer, so the types about tokens and signatures all mean that the path is unknown (API Gateway treats
 * a request with an `Authorization` header and an unknown path as an incorrectly signed call).
 */
export const GATEWAY_RESPONSES: readonly GatewayResponse[] = [
  { type: 'MISSING_AUTHENTICATION_TOKEN', code: 'NOT_FOUND', detail: NO_SUCH_PATH },
  { type: 'INVALID_SIGNATURE', code: 'NOT_FOUND', detail: NO_SUCH_PATH },
  { type: 'EXPIRED_TOKEN', code: 'NOT_FOUND', detail: NO_SUCH_PATH },
  { type: 'ACCESS_DENIED', code: 'NOT_FOUND', detail: NO_SUCH_PATH },
  { type: 'RESOURCE_NOT_FOUND', code: 'NOT_FOUND', detail: NO_SUCH_PATH },
  { type: 'THROTTLED', code: 'TOO_MANY_REQUESTS', detail: TOO_MANY, headers: RETRY_SOON },
  { type: 'QUOTA_EXCEEDED', code: 'TOO_MANY_REQUESTS', detail: TOO_MANY, headers: RETRY_SOON },
  {
    type: 'WAF_FILTERED',
    code: 'TOO_MANY_REQUESTS',
    detail:
      'Too many requests come from this IP address, or it is known for abuse. Try again after the time in Retry-After.',
    headers: { 'Retry-After': '300' },
  },
  {
    type: 'REQUEST_TOO_LARGE',
    code: 'PAYLOAD_TOO_LARGE',
    detail: 'The body is too large; the limit is 1 MiB.',
  },
  {
    type: 'UNSUPPORTED_MEDIA_TYPE',
    code: 'UNSUPPORTED_MEDIA_TYPE',
    detail:
      'The body does not have the encoding in Content-Encoding. Send it without encoding, or encoded with gzip or deflate.',
  },
  {
    // mostly because Lambda throttles, but also for any other failed call of Lambda; the access log has Lambda's status
    type: 'INTEGRATION_FAILURE',
    code: 'SERVICE_BUSY',
    detail: 'The service cannot take the request at the moment. Try again after the time in Retry-After.',
    headers: RETRY_SOON,
  },
  {
    type: 'INTEGRATION_TIMEOUT',
    code: 'DEADLINE_EXCEEDED',
    detail: DEADLINE_DETAIL,
  },
  {
    type: 'DEFAULT_4XX',
    code: 'INVALID_REQUEST',
    detail: 'The request is not a valid HTTP request to this service.',
    usualStatus: 400, // a status here would replace that of every 4xx without a row of its own, such as 413, 417 and 431
  },
  { type: 'DEFAULT_5XX', code: 'INTERNAL_ERROR', detail: 'Something went wrong on our side.' },
];

/** @returns the status that replaces API Gateway's; undefined = API Gateway's own */
export function gatewayStatus({ code, usualStatus }: GatewayResponse): number | undefined {
  return usualStatus === undefined ? PROBLEMS[code].status : undefined;
}

/** The headers that these responses share with the functions' own error responses. API Gateway adds the request id as `x-amzn-RequestId`. */
const GATEWAY_HEADERS: Readonly<Record<string, string>> = {
  'Content-Type': 'application/problem+json',
  'Cache-Control': 'no-store',
  ...SECURITY_HEADERS,
};

/** @returns the headers of a response; scripts of these origins can read it */
export function gatewayHeaders(response: GatewayResponse, corsOrigins: readonly string[]): Record<string, string> {
  return { ...GATEWAY_HEADERS, ...gatewayCorsHeaders(corsOrigins), ...response.headers };
}

/**
 * API Gateway's own responses can only have fixed headers, so with several origins they allow every origin. They contain nobody's data.
 * @returns the headers with which scripts of these origins can read API Gateway's own responses
 */
function gatewayCorsHeaders(origins: readonly string[]): Record<string, string> {
  const [first, ...others] = origins;
  if (first === undefined) return {};
  const exposed = { 'Access-Control-Expose-Headers': 'Retry-After, x-amzn-RequestId' };
  if (others.length > 0) return { 'Access-Control-Allow-Origin': '*', ...exposed };
  return { 'Access-Control-Allow-Origin': first, ...exposed, Vary: 'Origin' };
}

/**
 * @returns the body template of a response: the service's problem body without `occurredAt` and `instance`. API Gateway's templates can only
 * substitute variables: they have no ISO time, and their path may contain a secret.
 */
export function gatewayBody({ code, detail, usualStatus }: GatewayResponse): string {
  const status = usualStatus === undefined ? {} : { status: usualStatus, statusCode: usualStatus };
  return JSON.stringify({
    ...problemKind(code),
    ...status,
    detail,
    requestId: '$context.requestId',
    errors: [],
    message: detail,
  });
}
