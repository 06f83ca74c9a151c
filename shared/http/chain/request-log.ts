import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { logRequest } from '../../lib/log.ts';
import type { ApiContext, ApiMiddleware } from '../message/api-request.ts';

/** Writes one line about each request but preflights, of which the gateway's access log has one. */
export const requestLog = (): ApiMiddleware => ({
  after: ({ event, context, response }) => logResponse(event, context, response),
  onError: ({ event, context, response }) => logResponse(event, context, response),
});

function logResponse(
  event: APIGatewayProxyEvent,
  { state, functionName }: ApiContext,
  response: APIGatewayProxyResult | null | undefined,
): void {
  const { requestId, lambdaRequestId, coldStart, startedAt, meter, caller, problem, keyPrefix } = state;
  const status = response?.statusCode ?? 500;
  const isAccessDenied = status === 401 || status === 403;
  logRequest({
    requestId,
    lambdaRequestId,
    coldStart,
    route: `${event.httpMethod} ${event.resource}`,
    status,
    code: problem,
    latencyMs: Math.round((performance.now() - startedAt) * 10) / 10,
    readUnits: meter.readUnits,
    writeUnits: meter.writeUnits,
    storeCalls: meter.calls,
    rowsScanned: meter.rowsScanned,
    userId: caller?.userId,
    ...(isAccessDenied ? { keyPrefix, sourceIp: event.requestContext.identity.sourceIp } : {}),
    functionName,
  });
}
