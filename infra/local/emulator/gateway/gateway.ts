import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';
import { KEY_HEADER, KEY_QUERY } from '../../../../shared/http/api-key.ts';
import type { GatewayResponseType } from '../../../config/gateway-responses.ts';
import { MIN_COMPRESSED_BYTES, STAGE_NAME } from '../../../config/service.ts';
import { decodeBody, encodeBody } from './code-body.ts';
import { FunctionInvoker, type InvokerOptions } from './function-invoker.ts';
import { type HttpRequest, type HttpResponse, headerOf } from './http-message.ts';
import { routeMatcher } from './match-route.ts';
import { proxyEvent, requestIdOf } from './proxy-event.ts';
import { functionResponse, gatewayResponse } from './responses.ts';
import type { StageDefinition } from './stage-definition.ts';

/** API Gateway's limit on a body in bytes, both as sent and decoded. */
export const MAX_BODY = 10 * 1024 * 1024;
/** API Gateway's default integration timeout. */
export const INTEGRATION_MS = 29_000;

interface GatewayOptions extends InvokerOptions {
  /** Milliseconds until a function must have responded; default: INTEGRATION_MS. */
  readonly integrationMs?: number;
}

/** The emulated API Gateway and its functions, called without a network. */
export interface Gateway {
  /**
   * @param request paths of the API start with the stage
   * @throws errors of the emulator itself: respond with `reject(500, error)`
   */
  serve(request: HttpRequest): Promise<HttpResponse>;
  /**
   * @returns the response that API Gateway generates for input that it does not accept as an HTTP request, or after an internal error
   * @param status the response's status, which a 5xx does not keep
   * @param cause is logged; the response does not contain it
   */
  reject(status: number, cause?: unknown): HttpResponse;
  close(): Promise<void>;
}

/** @returns the emulated gateway of a stage, which starts its functions when they are called; close it at the end */
export function openGateway({ functions, corsOrigins }: StageDefinition, options: GatewayOptions): Gateway {
  const invoker = new FunctionInvoker(functions, options);
  const match = routeMatcher(functions);

  async function route(request: HttpRequest, requestId: string): Promise<HttpResponse> {
    if (match('/') !== undefined && request.method === 'GET' && request.target === '/')
      return redirectTo(`/${STAGE_NAME}/`);
    const { path, query } = splitTarget(request.target);
    const found = path === undefined ? undefined : match(path);
    if (path === undefined || found === undefined) throw new GatewayRejection('MISSING_AUTHENTICATION_TOKEN');
    if (request.body.length > MAX_BODY) throw new GatewayRejection('REQUEST_TOO_LARGE');
    const body = decodeBody(request.body, headerOf(request, 'content-encoding'), MAX_BODY);
    if (body === 'too large') throw new GatewayRejection('REQUEST_TOO_LARGE');
    if (body === undefined) throw new GatewayRejection('UNSUPPORTED_MEDIA_TYPE');
    const pathParameters = decodeParameters(found.parameters);
    if (pathParameters === undefined) throw new GatewayRejection('DEFAULT_4XX');
    const event = proxyEvent({
      request: { ...request, body },
      path,
      query,
      resource: found.resource,
      pathParameters,
      requestId,
    });
    const apiKey = headerOf(request, KEY_HEADER.toLowerCase()) ?? new URLSearchParams(query).get(KEY_QUERY) ?? '';
    return callFunction(found.functionName, event, { accept: headerOf(request, 'accept'), apiKey });
  }

  async function callFunction(
    functionName: string,
    event: object,
    { accept, apiKey }: { readonly accept: string | undefined; readonly apiKey: string },
  ): Promise<HttpResponse> {
    const timer = new AbortController();
    const outcome = await Promise.race([
      invoker.invoke(functionName, event, apiKey),
      sleep(options.integrationMs ?? INTEGRATION_MS, 'timeout' as const, { signal: timer.signal }),
    ]).finally(() => timer.abort());
    if (outcome === 'timeout') throw new GatewayRejection('INTEGRATION_TIMEOUT');
    if (outcome === undefined) throw new GatewayRejection('INTEGRATION_FAILURE');
    if (outcome.kind === 'failure') throw new GatewayRejection('DEFAULT_5XX');
    const response = functionResponse(outcome.payload, accept);
    if (response !== undefined) return response;
    options.onLog(`${functionName}: malformed proxy response ${outcome.payload.slice(0, 200)}\n`);
    throw new GatewayRejection('DEFAULT_5XX');
  }

  async function serve(request: HttpRequest): Promise<HttpResponse> {
    const requestId = requestIdOf(request);
    try {
      return finish(await route(request, requestId), request, requestId);
    } catch (error) {
      if (!(error instanceof GatewayRejection)) throw error;
      return finish(toResponse(error, requestId), request, requestId);
    }
  }

  function reject(status: number, cause?: unknown): HttpResponse {
    if (cause !== undefined) options.onLog(`${inspect(cause)}\n`);
    const requestId = requestIdOf({ headers: [] });
    const rejection = new GatewayRejection(status < 500 ? 'DEFAULT_4XX' : 'DEFAULT_5XX', status);
    return finish(toResponse(rejection, requestId), { headers: [] }, requestId);
  }

  function toResponse({ type, status }: GatewayRejection, requestId: string): HttpResponse {
    return gatewayResponse(type, { requestId, status, corsOrigins });
  }

  return { serve, reject, close: () => invoker.close() };
}

/** The root of the host is outside of the stage. Locally it leads to the start page; on AWS, API Gateway responds there with 403. */
function redirectTo(location: string): HttpResponse {
  return { status: 302, headers: new Map([['Location', [location]]]), body: Buffer.alloc(0) };
}

/** Ends a request with a response that API Gateway generates itself. */
class GatewayRejection extends Error {
  readonly type: GatewayResponseType;
  /** API Gateway's own status; only DEFAULT_4XX keeps it. */
  readonly status: number;

  constructor(type: GatewayResponseType, status = 400) {
    super(type);
    this.type = type;
    this.status = status;
  }
}

/** Adds the header of every API Gateway response, and compresses a body without an encoding if it is large enough and the client accepts it. */
function finish(response: HttpResponse, request: Pick<HttpRequest, 'headers'>, requestId: string): HttpResponse {
  const { status, body } = response;
  const headers = new Map([...response.headers, ['x-amzn-RequestId', [requestId]]]);
  const isEncoded = [...headers.keys()].some((name) => name.toLowerCase() === 'content-encoding');
  const encoded =
    body.length >= MIN_COMPRESSED_BYTES && !isEncoded
      ? encodeBody(body, headerOf(request, 'accept-encoding'))
      : undefined;
  if (encoded === undefined) return { status, headers, body };
  headers.set('Content-Encoding', [encoded.coding]);
  return { status, headers, body: encoded.body };
}

/** @returns `/jwt` and `x=1` for `/v2/jwt?x=1`; no path if the first segment is not the stage */
function splitTarget(target: string): { path: string | undefined; query: string } {
  const at = target.indexOf('?');
  const whole = at < 0 ? target : target.slice(0, at);
  const prefix = `/${STAGE_NAME}`;
  const inStage = whole === prefix || whole.startsWith(`${prefix}/`);
  return { path: inStage ? whole.slice(prefix.length) || '/' : undefined, query: at < 0 ? '' : target.slice(at + 1) };
}

/** @returns undefined if a parameter is not valid percent-encoding */
function decodeParameters(parameters: Readonly<Record<string, string>>): Record<string, string> | undefined {
  try {
    return Object.fromEntries(Object.entries(parameters).map(([name, value]) => [name, decodeURIComponent(value)]));
  } catch {
    return undefined;
  }
}
