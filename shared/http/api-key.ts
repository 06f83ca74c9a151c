import type { Identity } from '../identity/identity.ts';
import { ApiError, type ProblemCode } from '../lib/errors.ts';
import { type ApiEvent, type ApiRequest, headerValues, queryValues } from './api-request.ts';
import { withDeadline } from './deadline.ts';

export const KEY_HEADER = 'Ocp-Apim-Subscription-Key';
export const KEY_QUERY = 'subscription-key';

const CHALLENGE = `ApiKey realm="endcap", header="${KEY_HEADER}", query="${KEY_QUERY}"`;

/** Finds out whose key the request bears. */
export const apiKey = (identity: Identity) => ({
  before: async ({ event }: ApiRequest): Promise<void> => {
    const { state } = event;
    const caller = await withDeadline(state.deadline, identity.findCaller(readKey(event), state.meter));
    if ('reason' in caller)
      throw refuse('KEY_INVALID', `${caller.reason} Ask the operator of the platform for a new one.`);
    state.caller = caller;
  },
});

/** @returns the one key that the request bears, in the header, the query or both; an empty one counts as none. */
function readKey(event: ApiEvent): string {
  const inHeader = headerValues(event, KEY_HEADER.toLowerCase());
  const inQuery = queryValues(event, KEY_QUERY);
  const keys = new Set([...inHeader, ...inQuery].filter((key) => key !== ''));
  const [key] = keys;
  if (key === undefined) {
    throw refuse(
      'KEY_MISSING',
      `Send your API key in the header ${KEY_HEADER} or in the query parameter ${KEY_QUERY}.`,
    );
  }
  if (keys.size > 1) {
    throw refuse('KEY_CONFLICT', 'Send one API key: in the header, in the query, or the same one in both.');
  }
  return key;
}

function refuse(code: ProblemCode, detail: string): ApiError {
  return new ApiError(code, detail, { headers: { 'WWW-Authenticate': CHALLENGE } });
}
