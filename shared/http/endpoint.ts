import middy from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import type { Caller, CommitState, Identity, TokenClaims } from '../identity/identity.ts';
import { logRequest } from '../lib/log.ts';
import { apiKey } from './api-key.ts';
import type { ApiEvent, ApiRequest, RequestMeter } from './api-request.ts';
import { bearer } from './bearer.ts';
import { checkMethod } from './check-method.ts';
import { deadlineExceeded, RESERVE_MS } from './deadline.ts';
import { errorResponse } from './error-response.ts';
import { jsonBody } from './json-body.ts';
import { type Answer, respond } from './json-response.ts';
import { type Input, type InputSchemas, parseInput } from './parse-input.ts';

/** A request that has passed the chain. */
export interface EndpointRequest<Parsed> {
  readonly caller: Caller;
  readonly input: Parsed;
  readonly context: RequestContext;
}

export interface EndpointDefinition<Schemas extends InputSchemas> {
  readonly input: Schemas;
  readonly handle: (request: EndpointRequest<Input<Schemas>>) => Promise<Answer>;
}

export interface RequestContext {
  readonly requestId: string;
  /** The path as the client called it, with the stage; never the query. */
  readonly path: string;
  /** Claims of the verified bearer token, where one was sent. */
  readonly claims: TokenClaims | undefined;
  /** @returns the caller as of the given state, else as of now: what `caller` says may be a second old. */
  readonly refreshCaller: (state?: CommitState) => Promise<Caller>;
  /** Counts what this request uses; the log and the dashboard show it. */
  readonly meter: RequestMeter;
  /** Aborts when the answer can no longer arrive in time: the caller has got a 504 by then. */
  readonly signal: AbortSignal;
}

export type ApiHandler = (event: APIGatewayProxyEvent, context: Context) => Promise<APIGatewayProxyResult>;

/**
 * The one chain that every endpoint stands in: method, API key, bearer token, body, input, handler, response. Only what takes a body takes POST.
 * @example export const handler = endpoint(identity, { input: listAccountsInput, handle: async ({ caller, input }) => … });
 */
export function endpoint<const Schemas extends InputSchemas>(
  identity: Identity,
  definition: EndpointDefinition<Schemas>,
): ApiHandler {
  const { input, handle } = definition;
  const chain = middy({
    timeoutEarlyInMillis: RESERVE_MS,
    timeoutEarlyResponse: tellTooLate,
    requestStart: start as (request: unknown) => void, // middy's own type leaves the event open
    requestEnd: finish as (request: unknown) => void,
  })
    .use(errorResponse)
    .use(checkMethod(input.body === undefined ? 'GET' : 'POST'))
    .use(apiKey(identity))
    .use(bearer(identity));
  if (input.body !== undefined) chain.use(jsonBody);
  chain.use(parseInput(input));
  chain.handler(async (event: ApiEvent, _context: Context, { signal }: { signal: AbortSignal }) => {
    const { caller, claims, meter, requestId, input: parsed } = event.state;
    if (caller === undefined) throw new Error('the chain has let a request without a caller through');
    const refreshCaller = (state?: CommitState) => identity.refreshCaller(caller, meter, state);
    const context = { requestId, path: event.requestContext.path, claims, refreshCaller, meter, signal };
    const answer = await handle({ caller, input: parsed as Input<Schemas>, context }); // parsed by these schemas above
    return respond(event.state, 200, 'application/json', answer);
  });
  return chain as unknown as ApiHandler; // `start` gives the gateway's event the state that the chain's events have
}

function start(request: ApiRequest): void {
  const meter = { readUnits: 0, writeUnits: 0, calls: 0 };
  const { requestId } = request.event.requestContext;
  const startedAt = performance.now();
  const deadline = startedAt + request.context.getRemainingTimeInMillis() - RESERVE_MS;
  request.event = { ...request.event, state: { requestId, startedAt, deadline, meter } };
}

function finish({ event, context, response }: ApiRequest): void {
  const { requestId, startedAt, meter, caller, problem } = event.state;
  logRequest({
    requestId,
    route: `${event.httpMethod} ${event.resource}`,
    status: response?.statusCode ?? 500,
    code: problem,
    latencyMs: Math.round((performance.now() - startedAt) * 10) / 10,
    readUnits: meter.readUnits,
    writeUnits: meter.writeUnits,
    storeCalls: meter.calls,
    rowsScanned: meter.rowsScanned,
    userId: caller?.userId,
    functionName: context.functionName,
  });
}

function tellTooLate(): never {
  throw deadlineExceeded();
}
