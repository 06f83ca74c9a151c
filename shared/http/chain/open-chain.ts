import middy from '@middy/core';
import { isColdStart } from '../../lib/cold-start.ts';
import { Deadline, deadlineExceeded, withDeadline } from '../../lib/deadline.ts';
import { logRequest } from '../../lib/log.ts';
import type { ApiRequest } from '../message/api-request.ts';
import { errorResponse } from '../message/error-response.ts';
import { checkMethod } from './check-method.ts';
import { corsHeaders, preflight, readCorsOrigins } from './cors.ts';

/** Time reserved for sending the 504: a function with a time limit of 28 s sends it after 25 s. */
export const RESERVE_MS = 3_000;
/** Maximum time that the response of a report waits until the report no longer counts as running. */
const MAX_END_MS = 1_000;

/** @returns the beginning of every chain, with or without an API key: it logs the request, renders errors, responds to preflights and checks the method */
export function openChain(method: 'GET' | 'POST') {
  const origins = readCorsOrigins();
  return middy({
    timeoutEarlyInMillis: RESERVE_MS,
    timeoutEarlyResponse: throwDeadlineExceeded,
    // middy's own type leaves the event open
    requestStart: ((request: ApiRequest) => start(request, origins)) as (request: unknown) => void,
    requestEnd: finish as (request: unknown) => void,
  })
    .use(errorResponse)
    .use(preflight(origins, method))
    .use(checkMethod(method));
}

function start(request: ApiRequest, origins: ReadonlySet<string>): void {
  const meter = { readUnits: 0, writeUnits: 0, calls: 0 };
  const { requestId } = request.event.requestContext;
  const startedAt = performance.now();
  const deadline = new Deadline(startedAt + request.context.getRemainingTimeInMillis() - RESERVE_MS);
  const ids = { requestId, lambdaRequestId: request.context.awsRequestId };
  const cors = corsHeaders(request.event, origins);
  const state = { ...ids, coldStart: isColdStart(), startedAt, deadline, meter, cors };
  request.event = { ...request.event, state };
}

async function finish({ event, context, response }: ApiRequest): Promise<void> {
  const { requestId, lambdaRequestId, coldStart, startedAt, meter, caller, problem, keyPrefix } = event.state;
  logRequest({
    requestId,
    lambdaRequestId,
    coldStart,
    route: `${event.httpMethod} ${event.resource}`,
    status: response?.statusCode ?? 500,
    code: problem,
    latencyMs: Math.round((performance.now() - startedAt) * 10) / 10,
    readUnits: meter.readUnits,
    writeUnits: meter.writeUnits,
    storeCalls: meter.calls,
    rowsScanned: meter.rowsScanned,
    userId: caller?.userId,
    ...(isAccessDenied(response?.statusCode) ? { keyPrefix, sourceIp: event.requestContext.identity.sourceIp } : {}),
    functionName: context.functionName,
  });
  // what a 404 has read shows whether the item exists for somebody else
  const charged = response?.statusCode === 404 ? 0 : meter.readUnits;
  // after the log line, which a request must have even if the function is killed while it waits for the table
  const ending = event.state.admission?.end(charged) ?? Promise.resolve();
  await withDeadline(new Deadline(performance.now() + MAX_END_MS), ending).catch(() => undefined);
}

function isAccessDenied(status: number | undefined): boolean {
  return status === 401 || status === 403;
}

function throwDeadlineExceeded(): never {
  throw deadlineExceeded();
}
