import type { APIGatewayProxyEvent } from 'aws-lambda';
import { MAX_LISTED_FIELDS, problemKind } from '../../contract/problem.ts';
import { ApiError } from '../../lib/errors.ts';
import { logError } from '../../lib/log.ts';
import type { ApiMiddleware, RequestState } from './api-request.ts';
import { respond } from './json-response.ts';

/** Whom callers may ask about what they cannot repair. */
const { CONTACT } = process.env;

/** Renders every error of the handler and of all middlewares as a problem. */
export const errorResponse = (): ApiMiddleware => ({
  onError: (request) => {
    const { state } = request.context;
    const error = request.error instanceof ApiError ? request.error : toInternalError(request.error, state);
    state.problem = error.code;
    request.response = respond(state, error.status, {
      contentType: 'application/problem+json',
      body: problemBody(error, request.event.requestContext, new Date()),
      headers: error.headers,
    });
  },
});

/** Logs the unexpected error; the caller sees none of its details. */
function toInternalError(error: unknown, ids: RequestState): ApiError {
  logError(ids, error);
  return new ApiError(
    'INTERNAL_ERROR',
    `Something went wrong on our side. Quote request ${ids.requestId} when you report it.`,
  );
}

/** The contract's `Problem`. */
function problemBody(error: ApiError, { path, requestId }: APIGatewayProxyEvent['requestContext'], at: Date) {
  const { type, title, status, code, statusCode } = problemKind(error.code);
  const asksOperator = status === 401 || status === 403 || status >= 500;
  const detail = asksOperator && CONTACT ? `${error.message} Questions: ${CONTACT}` : error.message;
  return {
    type,
    title,
    status,
    detail,
    instance: path,
    code,
    requestId,
    occurredAt: { value: at.toISOString(), timezone: 'UTC' },
    errors: error.fields.slice(0, MAX_LISTED_FIELDS),
    statusCode,
    message: detail,
  };
}
