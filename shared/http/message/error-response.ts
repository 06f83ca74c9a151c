import type { APIGatewayProxyEvent } from 'aws-lambda';
import { MAX_LISTED_FIELDS, problemKind } from '../../contract/problem.ts';
import { ApiError } from '../../lib/errors.ts';
import { logError } from '../../lib/log.ts';
import type { ApiMiddleware, RequestState } from './api-request.ts';
import { respond } from './json-response.ts';

/** Renders every error of the handler and of all middlewares as a problem. Errors that callers cannot repair name the contact in the environment. */
export function errorResponse(): ApiMiddleware {
  const { CONTACT: contact } = process.env;
  return {
    onError: (request) => {
      const { state } = request.context;
      const error = request.error instanceof ApiError ? request.error : toInternalError(request.error, state);
      state.problem = error.code;
      const asksOperator = error.status === 401 || error.status === 403 || error.status >= 500;
      const detail = asksOperator && contact ? `${error.message} Questions: ${contact}` : error.message;
      request.response = respond(state, error.status, {
        contentType: 'application/problem+json',
        body: problemBody(error, detail, request.event.requestContext, new Date()),
        headers: error.headers,
      });
    },
  };
}

/** Logs the unexpected error; the caller sees none of its details. */
function toInternalError(error: unknown, ids: RequestState): ApiError {
  logError(ids, error);
  return new ApiError(
    'INTERNAL_ERROR',
    `Something went wrong on our side. Quote request ${ids.requestId} when you report it.`,
  );
}

/** The contract's `Problem`. */
function problemBody(
  error: ApiError,
  detail: string,
  { path, requestId }: APIGatewayProxyEvent['requestContext'],
  at: Date,
) {
  const { type, title, status, code, statusCode } = problemKind(error.code);
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
