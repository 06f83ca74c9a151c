import { ApiError } from '../../lib/errors.ts';
import type { ApiMiddleware } from '../message/api-request.ts';

/** Rejects every method but `allowed`, HEAD included, and OPTIONS unless `preflight` has responded; the gateway routes every method of a path to the path's function. */
export const checkMethod = (allowed: 'GET' | 'POST'): ApiMiddleware => ({
  before: ({ event }) => {
    if (event.httpMethod === allowed) return;
    throw new ApiError('METHOD_NOT_ALLOWED', `This path supports ${allowed} only.`, { headers: { Allow: allowed } });
  },
});
