import middy, { type MiddyfiedHandler } from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import { elapsedClock } from '../../lib/clock.ts';
import { trackColdStart } from '../../lib/cold-start.ts';
import { Deadline, deadlineExceeded } from '../../lib/deadline.ts';
import { ApiError } from '../../lib/errors.ts';
import { logRequest } from '../../lib/log.ts';
import type { ApiContext, ApiHandler, ApiMiddleware, Method, RequestState } from '../message/api-request.ts';
import { errorResponse } from '../message/error-response.ts';
import { cors } from './cors.ts';
import { endAdmission } from './key-limits.ts';

/** Time reserved for sending the 504: a function with a time limit of 28 s sends it after 25 s. */
export const RESERVE_MS = 3_000;

type Chain = MiddyfiedHandler<APIGatewayProxyEvent, APIGatewayProxyResult, Error, ApiContext>;

/**
 * The first middlewares end last: an error is rendered, then logged, then the key is released.
 * @returns the beginning of every chain, with or without an API key
 */
export function openChain(...methods: readonly Method[]): Chain {
  const chain: Chain = middy({ timeoutEarlyInMillis: RESERVE_MS, timeoutEarlyResponse: throwDeadlineExceeded });
  return chain.use(endAdmission()).use(requestLog()).use(errorResponse()).use(cors(methods)).use(checkMethod(methods));
}

/** @returns the Lambda handler that runs the chain, with a state for each request */
export function toHandler(chain: Chain): ApiHandler {
  const isColdStart = trackColdStart();
  return (event, context) => chain(event, Object.assign(context, { state: openState(event, context, isColdStart()) }));
}

function openState(
  { requestContext: { requestId } }: APIGatewayProxyEvent,
  context: Context,
  coldStart: boolean,
): RequestState {
  const startedAt = elapsedClock();
  return {
    requestId,
    lambdaRequestId: context.awsRequestId,
    coldStart,
    startedAt,
    deadline: new Deadline(startedAt + context.getRemainingTimeInMillis() - RESERVE_MS),
    meter: { readUnits: 0, writeUnits: 0, calls: 0 },
    cors: {},
  };
}

function throwDeadlineExceeded(): never {
  throw deadlineExceeded();
}

/** Rejects every method but those `allowed`, HEAD included, and OPTIONS unless `preflight` has responded; the gateway routes every method of a path to the path's function. */
const checkMethod = (allowed: readonly Method[]): ApiMiddleware => ({
  before: ({ event }) => {
    if (allowed.some((method) => method === event.httpMethod)) return;
    throw new ApiError('METHOD_NOT_ALLOWED', `This path supports ${allowed.join(' and ')} only.`, {
      headers: { Allow: allowed.join(', ') },
    });
  },
});

/** Writes one line about each request but preflights, of which the gateway's access log has one. */
function requestLog(): ApiMiddleware {
  const initMs = Math.round(performance.now()); // the function's code is loaded
  const log: ApiMiddleware['after'] = ({ event, context, response }) => logResponse(event, context, response, initMs);
  return { after: log, onError: log };
}

function logResponse(
  event: APIGatewayProxyEvent,
  { state, functionName }: ApiContext,
  response: APIGatewayProxyResult | null | undefined,
  initMs: number,
): void {
  const { requestId, lambdaRequestId, coldStart, startedAt, meter, caller, problem, keyPrefix, admission } = state;
  meter.writeUnits += admission?.takeWriteUnits() ?? 0;
  const status = response?.statusCode ?? 500;
  const isAccessDenied = status === 401 || status === 403;
  logRequest({
    requestId,
    lambdaRequestId,
    coldStart,
    route: `${event.httpMethod} ${event.resource}`,
    status,
    code: problem,
    latencyMs: Math.round((elapsedClock() - startedAt) * 10) / 10,
    readUnits: meter.readUnits,
    writeUnits: meter.writeUnits,
    storeCalls: meter.calls,
    rowsScanned: meter.rowsScanned,
    cache: meter.cache,
    ...(event.resource.startsWith('/report/') && { rssMb: Math.round(process.memoryUsage.rss() / 1e6), initMs }),
    userId: caller?.userId,
    ...(isAccessDenied ? { keyPrefix, sourceIp: event.requestContext.identity.sourceIp } : {}),
    functionName,
  });
}
