import { ApiError } from '../lib/errors.ts';
import type { ApiRequest } from './api-request.ts';

/** Refuses other methods than the endpoint's, HEAD and OPTIONS among them: every path is routed to its function whatever the method. */
export const checkMethod = (allowed: 'GET' | 'POST') => ({
  before: ({ event }: ApiRequest): void => {
    if (event.httpMethod === allowed) return;
    throw new ApiError('METHOD_NOT_ALLOWED', `This path takes ${allowed} only.`, { headers: { Allow: allowed } });
  },
});
