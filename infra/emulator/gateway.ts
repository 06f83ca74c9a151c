import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';
import { FunctionInvoker, type InvokerOptions } from './functions/function-invoker.ts';
import { functionResponse } from './functions/function-response.ts';
import { decodeBody, encodeBody } from './gateway/content-coding.ts';
import { type Answer, gatewayResponse } from './gateway/gateway-response.ts';
import { type HttpRequest, headerOf } from './gateway/http-message.ts';
import { routeMatcher } from './gateway/match-route.ts';
import { proxyEvent, traceId } from './gateway/proxy-event.ts';
import { throttle } from './gateway/throttle.ts';
import type { GatewayResponseType } from './template/gateway-response-types.ts';
import type { IntegrationDefinition, StageDefinition } from './template/stage-definition.ts';

/** The largest body API Gateway takes, decoded or not. */
export const MAX_BODY = 10 * 1024 * 1024;

export interface Stage {
  /** @param request with the stage in its path; bodies over MAX_BODY are refused here too */
  serve(request: HttpRequest): Promise<Answer>;
  /**
   * @param status what API Gateway answers with unless the template says otherwise
   * @param cause is logged: nobody else is told
   * @returns its answer to what is no request that it can serve
   */
  refuse(status: number, cause?: unknown): Answer;
  close(): Promise<void>;
}

/** @returns API Gateway with the functions behind it, as `definition` says, without a network before it. */
export function openGateway(definition: StageDefinition, options: InvokerOptions): Stage {
  const invoker = new FunctionInvoker(definition.functions, options);
  const match = routeMatcher(definition.resources);
  const admitters = new Map(
    definition.resources.flatMap(({ methods }) => [...methods.values()].map((it) => [it, admitter(it)] as const)),
  );

  async function answer(request: HttpRequest, requestId: string, receivedAt: Date): Promise<Answer> {
    const { path, query } = splitTarget(request.target, definition.stageName);
    const found = path === undefined ? undefined : match(path);
    const integration = found?.resource.methods.get(request.method) ?? found?.resource.methods.get('ANY');
    if (path === undefined || found === undefined || integration === undefined) {
      throw new GatewayRejection('MISSING_AUTHENTICATION_TOKEN');
    }
    if (admitters.get(integration)?.() === false) throw new GatewayRejection('THROTTLED');
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
      definition,
      requestId,
      receivedAt,
    });
    return callFunction(integration, event, headerOf(request, 'accept'), requestId);
  }

  async function callFunction(
    integration: IntegrationDefinition,
    event: object,
    accept: string | undefined,
    requestId: string,
  ): Promise<Answer> {
    const { functionName, timeoutMs } = integration;
    const timer = new AbortController();
    const outcome = await Promise.race([
      invoker.invoke(functionName, event, requestId),
      sleep(timeoutMs, 'timeout' as const, { signal: timer.signal }),
    ]).finally(() => timer.abort());
    if (outcome === 'timeout') throw new GatewayRejection('INTEGRATION_TIMEOUT');
    if (outcome.kind === 'event too large') throw new GatewayRejection('REQUEST_TOO_LARGE');
    if (outcome.kind === 'no instance') throw new GatewayRejection('INTEGRATION_FAILURE');
    if (outcome.kind === 'failure') throw new GatewayRejection('DEFAULT_5XX', 502);
    const { binaryMediaTypes } = definition;
    const read = functionResponse(outcome.payload, { accept, binaryMediaTypes });
    if (read !== undefined) return read;
    options.onLog(`${functionName}: malformed proxy response ${outcome.payload.slice(0, 200)}\n`);
    throw new GatewayRejection('DEFAULT_5XX', 502);
  }

  async function serve(request: HttpRequest): Promise<Answer> {
    const requestId = randomUUID();
    const receivedAt = new Date();
    try {
      const made = await answer(request, requestId, receivedAt);
      const trace: [string, string[]] = ['X-Amzn-Trace-Id', [traceId(requestId, receivedAt)]];
      return finish(made, request, requestId, definition.minimumCompressionSize, [trace]);
    } catch (error) {
      if (!(error instanceof GatewayRejection)) throw error;
      const refusal = refusalOf(error, requestId);
      return finish(refusal, request, requestId, definition.minimumCompressionSize, []);
    }
  }

  function refuse(status: number, cause?: unknown): Answer {
    if (cause !== undefined) options.onLog(`${inspect(cause)}\n`);
    const requestId = randomUUID();
    const refusal = new GatewayRejection(status < 500 ? 'DEFAULT_4XX' : 'DEFAULT_5XX', status);
    return finish(refusalOf(refusal, requestId), { headers: [] }, requestId, undefined, []);
  }

  function refusalOf({ type, status }: GatewayRejection, requestId: string): Answer {
    const withStatus = status === undefined ? {} : { status };
    return gatewayResponse(type, definition.gatewayResponses, { requestId, ...withStatus });
  }

  return { serve, refuse, close: () => invoker.close() };
}

/** A method has its own bucket, also where it takes its limits from the stage. */
function admitter({ throttle: limits }: IntegrationDefinition): () => boolean {
  return limits === undefined ? () => true : throttle(limits);
}

/** What API Gateway answers by itself. */
class GatewayRejection extends Error {
  readonly type: GatewayResponseType;
  readonly status: number | undefined;

  constructor(type: GatewayResponseType, status?: number) {
    super(type);
    this.type = type;
    this.status = status;
  }
}

/** Adds the headers that every answer of API Gateway bears, and compresses where the client and the API's setting agree to it. */
function finish(
  answer: Answer,
  request: Pick<HttpRequest, 'headers'>,
  requestId: string,
  minimumCompressionSize: number | undefined,
  extra: readonly [string, readonly string[]][],
): Answer {
  const headers = new Map<string, readonly string[]>([
    ...answer.headers,
    ['x-amzn-RequestId', [requestId]],
    ['x-amz-apigw-id', [Buffer.from(requestId).toString('base64').slice(0, 15).concat('=')]],
    ...extra,
  ]);
  const encodedAlready = [...headers.keys()].some((name) => name.toLowerCase() === 'content-encoding');
  const wanted = minimumCompressionSize !== undefined && answer.body.length >= minimumCompressionSize;
  const encoded = wanted && !encodedAlready ? encodeBody(answer.body, headerOf(request, 'accept-encoding')) : undefined;
  if (encoded === undefined) return { ...answer, headers };
  headers.set('Content-Encoding', [encoded.coding]);
  return { status: answer.status, headers, body: encoded.body };
}

/** `/v2/jwt?x=1` with the stage v2 → `/jwt` and `x=1`; no path where the first segment is not the stage. */
function splitTarget(target: string, stageName: string): { path: string | undefined; query: string } {
  const at = target.indexOf('?');
  const whole = at < 0 ? target : target.slice(0, at);
  const prefix = `/${stageName}`;
  const inStage = whole === prefix || whole.startsWith(`${prefix}/`);
  return { path: inStage ? whole.slice(prefix.length) || '/' : undefined, query: at < 0 ? '' : target.slice(at + 1) };
}

function decodeParameters(parameters: Readonly<Record<string, string>>): Record<string, string> | undefined {
  try {
    return Object.fromEntries(Object.entries(parameters).map(([name, value]) => [name, decodeURIComponent(value)]));
  } catch {
    return undefined; // a percent sign that is followed by no character
  }
}
