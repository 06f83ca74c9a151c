import type { Identity } from '../identity/identity.ts';
import { ApiError, type ProblemCode } from '../lib/errors.ts';
import { type ApiEvent, type ApiRequest, headerValues, queryValues } from './api-request.ts';
import { withDeadline } from './deadline.ts';

export const KEY_HEADER = 'Ocp-Apim-Subscription-Key';
export const KEY_QUERY = 'subscription-key';

const CHALLENGE = `ApiKey realm="endcap", header="${KEY_HEADER}", query="${KEY_QUERY}"`;

/** Authenticates the request by its API key and stores the caller in the request's state. */
export const apiKey = (identity: Identity) => ({
  before: async ({ event }: ApiRequest): Promise<void> => {
    const { state } = event;
    const caller = await withDeadline(state.deadline, identity.findCaller(readKey(event), state.meter));
    if ('reason' in caller)
      throw keyError('KEY_INVALID', `${caller.reason} Ask the operator of the platform for a new key.`);
    state.caller = caller;
  },
});

/** @returns the request's one key, from the header, the query or both; an empty key counts as missing */
function readKey(event: ApiEvent): string {
  const inHeader = headerValues(event, KEY_HEADER.toLowerCase());
  const inQuery = queryValues(event, KEY_QUERY);
  const keys = new Set([...inHeader, ...inQuery].filter((key) => key !== ''));
  const [key] = keys;
  if (key === undefined) {
    throw keyError(
      'KEY_MISSING',
      `Send your API key in the header ${KEY_HEADER} or in the query parameter ${KEY_QUERY}.`,
    );
  }
  if (keys.size > 1) {
    throw keyError('KEY_CONFLICT', 'Send one API key: in the header, in the query, or the same key in both.');
  }
  return key;
}

function keyError(code: ProblemCode, detail: string): ApiError {
  return new ApiError(code, detail, { headers: { 'WWW-Authenticate': CHALLENGE } });
}
