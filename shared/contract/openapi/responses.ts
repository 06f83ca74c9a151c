import { PROBLEMS, type ProblemCode } from '../../lib/errors.ts';
import { PARAMETER_WARNINGS } from '../header-names.ts';
import { problemKind } from '../problem.ts';
import { FILE_HEADER_COMPONENTS } from './files.ts';

/** Problems that every operation can respond with, even one that needs no key. */
export const PUBLIC_PROBLEMS: readonly ProblemCode[] = [
  'METHOD_NOT_ALLOWED',
  'TOO_MANY_REQUESTS',
  'INTERNAL_ERROR',
  'SERVICE_BUSY',
  'STORE_BUSY',
  'DEADLINE_EXCEEDED',
];

/** Problems that every operation with a key can respond with. */
export const COMMON_PROBLEMS: readonly ProblemCode[] = [
  'MALFORMED_URL',
  'KEY_MISSING',
  'KEY_INVALID',
  'KEY_CONFLICT',
  'TOKEN_INVALID',
  'SCOPE_FORBIDDEN',
  'ADDRESS_FORBIDDEN',
  'STORE_INCONSISTENT',
  ...PUBLIC_PROBLEMS,
];

/** Headers of the responses, as components of the OpenAPI document. */
export const HEADERS = {
  RequestId: header(
    'Id of the request; quote it in questions about the response.',
    'c6af9ac6-7b61-11e6-9a41-93e8deadbeef',
  ),
  CacheControl: header(
    'Responses differ by key and must not be cached, except a report as a URL: `private, max-age=60`.',
    'no-store',
  ),
  Link: header(
    'Relative reference to the next page, if there is one, with all parameters except the key.',
    '</v2/metadata/accounts?offset=10&size=10>; rel="next"',
  ),
  ContentEncoding: header(
    'The coding of the body, if it is compressed: `gzip`, `deflate` or `br`. A response of 1 KB or more is compressed if the request accepts that.',
    'gzip',
  ),
  Vary: header(
    'The request headers that the format depends on; with Accept-Encoding if the page is compressed because of its size.',
    'Accept',
  ),
  ...FILE_HEADER_COMPONENTS,
  Challenge: header(
    'The authentication that the request needs. API Gateway sends the header WWW-Authenticate under this name.',
    'ApiKey realm="endcap", header="Ocp-Apim-Subscription-Key", query="subscription-key"',
  ),
  Allow: header('The methods that the path supports.', 'GET'),
  Accept: header('The media type that the body must have.', 'application/json'),
  RateLimitPolicy: header(
    'The limits of the API key: `q` is the quota, `w` the window in seconds, `qu` the unit if it is not requests (IETF draft). Missing without a ' +
      'recognised key, or if it has no limits.',
    '"requests";q=1200;w=60, "read-units";q=2000000;w=86400;qu="read-units", "reports";q=8;qu="concurrent-requests"',
  ),
  RateLimit: header(
    'What is left of the limits: `r` is what remains of the quota, `t` the seconds until the window ends.',
    '"requests";r=1187;t=42, "read-units";r=1980000;t=30122',
  ),
  ParameterWarnings: header(
    'Warnings about the first query parameters that are unknown and were ignored, at most three, as JSON in ASCII. Missing if there are none.',
    '[{"code":"UNKNOWN_PARAMETER","parameter":"advertiserId","detail":"This parameter is unknown and was ignored. Did you mean advertiser_id?"}]',
  ),
  PublicCacheControl: header('How long the response may be cached.', 'public, max-age=300'),
  RetryAfter: header('Seconds to wait before a retry.', '1'),
} as const;

/** Headers of every response except the successful ones in PUBLIC_HEADERS. */
export const COMMON_HEADERS = {
  'x-request-id': ref('RequestId'),
  'Cache-Control': ref('CacheControl'),
  'RateLimit-Policy': ref('RateLimitPolicy'),
  RateLimit: ref('RateLimit'),
};

/** The header about unknown query parameters. The document shows it for successful responses and status 422. */
export const PARAMETER_HEADERS = { [PARAMETER_WARNINGS]: ref('ParameterWarnings') };

/** Headers of successful responses that are the same for everybody. */
export const PUBLIC_HEADERS = { 'x-request-id': ref('RequestId'), 'Cache-Control': ref('PublicCacheControl') };

const HEADERS_BY_STATUS: Readonly<Record<number, object>> = {
  401: { 'x-amzn-Remapped-WWW-Authenticate': ref('Challenge') },
  405: { Allow: ref('Allow') },
  415: { Accept: ref('Accept') },
  422: PARAMETER_HEADERS,
  429: { 'Retry-After': ref('RetryAfter') },
  503: { 'Retry-After': ref('RetryAfter') },
};

/** Statuses of errors that are found after the format is chosen, with `Vary`. Errors of API Gateway, and of keys (403), come before that and lack it. */
const NEGOTIATED_STATUSES: ReadonlySet<number> = new Set([400, 403, 404, 413, 415, 422]);

/**
 * @param hasFormats whether the operation has several formats
 * @returns the error responses with these codes, by status; each code has an example
 */
export function problemResponses(codes: readonly ProblemCode[], hasFormats: boolean): Record<string, object> {
  const byStatus = new Map<number, ProblemCode[]>();
  for (const code of codes) {
    const { status } = PROBLEMS[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  const statuses = [...byStatus].sort(([a], [b]) => a - b);
  const vary = (status: number) => (hasFormats && NEGOTIATED_STATUSES.has(status) ? { Vary: ref('Vary') } : {});
  return Object.fromEntries(
    statuses.map(([status, group]) => [String(status), problemResponse(status, group, vary(status))]),
  );
}

function problemResponse(status: number, codes: readonly ProblemCode[], headers: object): object {
  const examples = Object.fromEntries(
    codes.map((code) => [code, { summary: PROBLEMS[code].title, value: example(code) }]),
  );
  return {
    description: codes.map((code) => `\`${code}\`: ${PROBLEMS[code].title}.`).join(' '),
    headers: { ...COMMON_HEADERS, ...HEADERS_BY_STATUS[status], ...headers },
    content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' }, examples } },
  };
}

function example(code: ProblemCode): object {
  const detail = PROBLEMS[code].title;
  return {
    ...problemKind(code),
    detail,
    instance: '/v2/metadata/accounts',
    requestId: HEADERS.RequestId.example,
    occurredAt: { value: '2026-03-01T12:00:00.000Z', timezone: 'UTC' },
    errors: [],
    message: detail,
  };
}

function header(description: string, example: string) {
  return { description, schema: { type: 'string' }, example };
}

function ref(name: string): { readonly $ref: string } {
  return { $ref: `#/components/headers/${name}` };
}
