import { randomUUID } from 'node:crypto';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { BINARY_MEDIA_TYPES, STAGE_NAME } from '../../../config/service.ts';
import { LOCAL_ACCOUNT } from '../services/local-credentials.ts';
import { type HttpRequest, headerOf, matchesMediaType } from './http-message.ts';

interface ProxyEventInput {
  readonly request: HttpRequest;
  /** The path without the stage, still encoded. */
  readonly path: string;
  readonly query: string;
  /** As in the definition: `/report/{experience_name}`. */
  readonly resource: string;
  /** Decoded. */
  readonly pathParameters: Readonly<Record<string, string>>;
  readonly requestId: string;
}

/**
 * @returns the id of a new request: the client's header `x-amzn-RequestId`, which a REST API adopts (AWS, "API Gateway mapping template variable reference"),
 * here if it has 1 to 128 characters of an HTTP token
 */
export function requestIdOf(request: Pick<HttpRequest, 'headers'>): string {
  const chosen = headerOf(request, 'x-amzn-requestid');
  return chosen !== undefined && /^[\w!#$%&'*+.^`|~-]{1,128}$/.test(chosen) ? chosen : randomUUID();
}

/**
 * @returns the event that a REST API's proxy integration passes to a function. If a header or parameter was sent more than once, the plain map
 * holds the last value and the multi-value map holds all. The maps of query and of path parameters are null if there are none. A body of a binary media type
 * is base64-encoded.
 */
export function proxyEvent(input: ProxyEventInput): APIGatewayProxyEvent {
  const { request, resource } = input;
  const headers = group(eventHeaders(input), (name) => name.toLowerCase());
  const query = group([...new URLSearchParams(input.query)], (name) => name);
  const binary = BINARY_MEDIA_TYPES.some((type) => matchesMediaType(headerOf(request, 'content-type'), type));
  return {
    resource,
    path: input.path,
    httpMethod: request.method,
    headers: lastOf(headers) ?? {},
    multiValueHeaders: headers ?? {},
    queryStringParameters: lastOf(query),
    multiValueQueryStringParameters: query,
    pathParameters: Object.keys(input.pathParameters).length === 0 ? null : { ...input.pathParameters },
    stageVariables: null,
    requestContext: requestContext(input),
    body: request.body.length === 0 ? null : request.body.toString(binary ? 'base64' : 'utf8'),
    isBase64Encoded: binary && request.body.length > 0,
  };
}

function eventHeaders({ request }: ProxyEventInput): [string, string][] {
  const forwardedFor = request.headers
    .filter(([name]) => name.toLowerCase() === 'x-forwarded-for')
    .map(([, value]) => value);
  const own = new Map([
    ['X-Forwarded-For', [...forwardedFor, request.sourceIp].join(', ')],
    ['X-Forwarded-Port', /:(\d+)$/.exec(headerOf(request, 'host') ?? '')?.[1] ?? '80'],
    ['X-Forwarded-Proto', 'http'],
  ]);
  const ownNames = new Set([...own.keys()].map((name) => name.toLowerCase()));
  return [
    ...request.headers
      .filter(([name]) => !ownNames.has(name.toLowerCase()))
      .map(([name, value]): [string, string] => [name, value]),
    ...own,
  ];
}

function requestContext(input: ProxyEventInput): APIGatewayProxyEvent['requestContext'] & { deploymentId: string } {
  const { request, resource, requestId } = input;
  const receivedAt = new Date();
  const domainName = (headerOf(request, 'host') ?? 'localhost').replace(/:\d+$/, '');
  return {
    accountId: LOCAL_ACCOUNT,
    apiId: 'local',
    authorizer: null,
    deploymentId: 'local',
    domainName,
    domainPrefix: domainName.replace(/\..*$/, ''),
    httpMethod: request.method,
    identity: unauthenticatedIdentity(request.sourceIp, headerOf(request, 'user-agent') ?? null),
    path: `/${STAGE_NAME}${input.path}`,
    protocol: 'HTTP/1.1',
    requestId,
    requestTime: logTime(receivedAt),
    requestTimeEpoch: receivedAt.getTime(),
    resourceId: 'local',
    resourcePath: resource,
    stage: STAGE_NAME,
  };
}

/** @returns the caller's identity in the event of a request that API Gateway does not authenticate */
export function unauthenticatedIdentity(
  sourceIp: string,
  userAgent: string | null,
): APIGatewayProxyEvent['requestContext']['identity'] {
  return {
    accessKey: null,
    accountId: null,
    apiKey: null,
    apiKeyId: null,
    caller: null,
    clientCert: null,
    cognitoAuthenticationProvider: null,
    cognitoAuthenticationType: null,
    cognitoIdentityId: null,
    cognitoIdentityPoolId: null,
    principalOrgId: null,
    sourceIp,
    user: null,
    userAgent,
    userArn: null,
  };
}

/** `09/Apr/2015:12:34:56 +0000` */
function logTime(time: Date): string {
  const [, day, month, year, clock] = time.toUTCString().split(' ');
  return `${day}/${month}/${year}:${clock} +0000`;
}

/** @returns all values by name, under the first spelling of each name; null if there are none */
function group(
  pairs: readonly (readonly [string, string])[],
  keyOf: (name: string) => string,
): Record<string, string[]> | null {
  const groups = new Map<string, { name: string; values: string[] }>();
  for (const [name, value] of pairs) {
    const key = keyOf(name);
    const found = groups.get(key);
    if (found === undefined) groups.set(key, { name, values: [value] });
    else found.values.push(value);
  }
  return groups.size === 0 ? null : Object.fromEntries([...groups.values()].map(({ name, values }) => [name, values]));
}

function lastOf(groups: Readonly<Record<string, string[]>> | null): Record<string, string> | null {
  if (groups === null) return null;
  return Object.fromEntries(Object.entries(groups).map(([name, values]) => [name, values.at(-1) ?? '']));
}
