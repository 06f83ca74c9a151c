import { randomUUID } from 'node:crypto';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import { unauthenticatedIdentity } from '../../../infra/local/emulator/gateway/proxy-event.ts';
import type { ApiHandler } from '../../../shared/http/endpoint.ts';

/** A request in short form. Query parameters and headers may be repeated. */
export interface TestRequest {
  readonly method?: string;
  /** The route's path template. */
  readonly resource?: string;
  readonly pathParameters?: Readonly<Record<string, string>>;
  readonly query?: readonly (readonly [string, string])[];
  readonly headers?: readonly (readonly [string, string])[];
  readonly body?: string;
  readonly isBase64Encoded?: boolean;
  readonly requestId?: string;
}

export interface TestResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  readonly bytes: Buffer;
  /** The parsed body; undefined if it is not JSON. */
  readonly body: unknown;
}

/**
 * @param body JSON, or any other text; undefined = no body
 * @returns a report request of Ana
 */
export function reportRequest(
  body: string | undefined,
  { experience = 'pla', ...more }: TestRequest & { readonly key?: string; readonly experience?: string } = {},
): TestRequest & { readonly key: string } {
  return {
    key: 'key-ana',
    pathParameters: { experience_name: experience },
    headers: [['Content-Type', 'application/json']],
    ...(body === undefined ? {} : { body }),
    ...more,
  };
}

/** @returns the request as an event of API Gateway's proxy integration, with stage `v2` */
export function gatewayEvent(request: TestRequest): APIGatewayProxyEvent {
  const { method = 'GET', resource = '/metadata/accounts', pathParameters = {}, query = [], headers = [] } = request;
  const path = resource.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(pathParameters[name] ?? ''));
  const requestId = request.requestId ?? randomUUID();
  return {
    resource,
    path,
    httpMethod: method,
    headers: Object.fromEntries(headers),
    multiValueHeaders: collect(headers),
    queryStringParameters: query.length === 0 ? null : Object.fromEntries(query),
    multiValueQueryStringParameters: query.length === 0 ? null : collect(query),
    pathParameters: Object.keys(pathParameters).length === 0 ? null : { ...pathParameters },
    stageVariables: null,
    requestContext: requestContext(method, resource, path, requestId),
    body: request.body ?? null,
    isBase64Encoded: request.isBase64Encoded ?? false,
  };
}

/** @returns the handler's response, with `remainingMs` left of the function's time limit */
export async function call(handler: ApiHandler, request: TestRequest, remainingMs = 28_000): Promise<TestResponse> {
  const started = performance.now();
  const context = {
    functionName: 'the-function',
    awsRequestId: 'l-1',
    getRemainingTimeInMillis: () => remainingMs - (performance.now() - started),
  };
  // handlers read no other members of the context
  const result: APIGatewayProxyResult = await handler(gatewayEvent(request), context as Context);
  const bytes = result.isBase64Encoded === true ? decode(result) : Buffer.from(result.body);
  const text = bytes.toString();
  const headers = Object.entries(result.headers ?? {}).map(([name, value]) => [name, String(value)] as const);
  return {
    status: result.statusCode,
    headers: Object.fromEntries(headers),
    bytes,
    text,
    body: text !== '' && /json$/.test(String(result.headers?.['Content-Type'])) ? JSON.parse(text) : undefined,
  };
}

/** @returns the bytes that the client decodes from a binary body */
function decode({ body, headers }: APIGatewayProxyResult): Buffer {
  const bytes = Buffer.from(body, 'base64');
  switch (headers?.['Content-Encoding']) {
    case 'br':
      return brotliDecompressSync(bytes);
    case 'gzip':
      return gunzipSync(bytes);
    default:
      return bytes;
  }
}

/** @returns an error body without the members that differ between two equal requests: id and time */
export function withoutIds(body: unknown): Readonly<Record<string, unknown>> {
  const rest: Record<string, unknown> = { ...Object(body) };
  delete rest.requestId;
  delete rest.occurredAt;
  return rest;
}

function collect(pairs: readonly (readonly [string, string])[]): Record<string, string[]> {
  const groups = Map.groupBy(pairs, ([name]) => name);
  return Object.fromEntries([...groups].map(([name, group]) => [name, group.map(([, value]) => value)]));
}

function requestContext(
  method: string,
  resource: string,
  path: string,
  requestId: string,
): APIGatewayProxyEvent['requestContext'] {
  return {
    accountId: '000000000000',
    apiId: 'test',
    authorizer: null,
    protocol: 'HTTP/1.1',
    httpMethod: method,
    identity: unauthenticatedIdentity('127.0.0.1', null),
    path: `/v2${path}`,
    stage: 'v2',
    requestId,
    requestTimeEpoch: 0,
    resourceId: 'test',
    resourcePath: resource,
  };
}
