import type { Caller, CommitState, TokenClaims } from '../identity/identity.ts';
import type { Scope } from '../identity/keys/key-rights.ts';
import type { Platform } from '../identity/platform.ts';
import type { Deadline } from '../lib/deadline.ts';
import type { LogIds } from '../lib/log.ts';
import { apiKey, KEY_HEADER } from './api-key.ts';
import { bearer } from './bearer.ts';
import { keyLimits, tooManyRequests } from './chain/key-limits.ts';
import { openChain, toHandler } from './chain/open-chain.ts';
import { acceptedFormat } from './format/accepted-format.ts';
import type { ReadHeader } from './format/content-coding.ts';
import { jsonBody } from './json-body.ts';
import { type ApiHandler, headerValues, type Method, type RequestState } from './message/api-request.ts';
import { type HandlerResult, respond } from './message/json-response.ts';
import { JSON_REPRESENTATION, type Representation, type ResponseFormat } from './message/negotiate.ts';
import { hasAccount, ownAccount } from './own-account.ts';
import { type Input, type InputSchemas, parseInput, type UrlInput } from './parse-input.ts';

export type { ApiHandler } from './message/api-request.ts';

/**
 * What it takes to sort and page 50,000 groups by five dimensions. Reports that are expected to end sooner do not count as running: the two writes would cost more
 * than they limit.
 */
const COUNTED_FROM_MS = 60;

type Table = Platform['table'];

/** A request that has passed the chain. */
export interface EndpointRequest<Parsed> {
  readonly caller: Caller;
  readonly input: Parsed;
  /** The platform's table for this request: its calls are metered, and are aborted with the request's signal. */
  readonly table: Table;
  readonly context: RequestContext;
}

interface EndpointDefinition<Schemas extends InputSchemas> {
  /** What a key must allow for this endpoint. */
  readonly scope: Scope;
  readonly input: Schemas;
  /** The input of requests for CSV or Arrow, where it differs. */
  readonly fileInput?: Schemas;
  /** For an endpoint with a body: how the query of a GET states it; absent = POST only. */
  readonly url?: UrlInput;
  /** The formats that Accept may choose from; absent = JSON whatever Accept says. */
  readonly formats?: readonly ResponseFormat[];
  readonly handle: (request: EndpointRequest<Input<Schemas>>) => Promise<HandlerResult>;
}

interface RequestContext extends LogIds {
  /** The format that Accept has chosen from the endpoint's formats. */
  readonly representation: Representation;
  readonly requestId: string;
  /** The path as the client called it, with the stage and without the query. */
  readonly path: string;
  /** Claims of the verified bearer token, if the client sent one. */
  readonly claims: TokenClaims | undefined;
  readonly headerOf: ReadHeader;
  /** The time of `elapsedClock` when the request arrived. */
  readonly startedAt: number;
  /** @returns the caller as of the given state or a later commit, or as of now; `caller` may be a second old */
  readonly refreshCaller: (state?: CommitState) => Promise<Caller>;
  /** Counts what this request uses. */
  readonly meter: RequestState['meter'];
  /**
   * Counts a report that will take long, or whose planning will, as a running one; call it before the reads.
   * @throws ApiError TOO_MANY_REQUESTS
   */
  readonly expectMs: (ms: number) => Promise<void>;
  /** Whether the response must have all rows. */
  readonly isWhole?: boolean;
  /** When the client gets a 504. Long synchronous work must check it. */
  readonly deadline: Deadline;
  /** Aborts at the deadline. */
  readonly signal: AbortSignal;
}

/**
 * @returns the Lambda handler of an endpoint: a chain of method, API key, its limits, bearer token, format, body, input, account, handler, response. An endpoint
 * with a body accepts POST, and GET with a `url`; all others accept GET only. An `account_id` in the query must be one of the caller's accounts.
 * @example export const create = (platform: Platform) => endpoint(platform, { scope: 'metadata', input: { query }, handle: async ({ caller, input, table }) => … });
 */
export function endpoint<const Schemas extends InputSchemas>(
  { identity, table }: Pick<Platform, 'identity' | 'table'>,
  { scope, input, fileInput = input, formats, url, handle }: EndpointDefinition<Schemas>,
): ApiHandler {
  const methods: readonly Method[] =
    input.body === undefined ? ['GET'] : url === undefined ? ['POST'] : ['GET', 'POST'];
  const chain = openChain(...methods)
    .use(apiKey(identity, scope))
    .use(keyLimits(identity, scope))
    .use(bearer(identity));
  if (formats !== undefined) chain.use(acceptedFormat(formats, url !== undefined));
  if (input.body !== undefined) chain.use(jsonBody());
  chain.use(parseInput(input, fileInput, url));
  if (hasAccount(input.query)) chain.use(ownAccount(identity));
  chain.handler(async (event, { state }, { signal }) => {
    const { caller, claims, admission, input: parsed, representation = JSON_REPRESENTATION } = state;
    if (caller === undefined) throw new Error('the chain has passed a request without a caller');
    const { path } = event.requestContext;
    const headerOf = (name: string) => headerValues(event, name);
    const refreshCaller = (commit?: CommitState) => identity.refreshCaller(caller, state.meter, commit);
    let isCounted = false;
    const expectMs = async (ms: number) => {
      if (ms < COUNTED_FROM_MS || isCounted) return;
      isCounted = true;
      const exceeded = await admission?.startReport();
      if (exceeded !== undefined) throw tooManyRequests(exceeded);
    };
    const result = await handle({
      caller,
      input: parsed as Input<Schemas>, // parseInput has parsed it by these schemas
      table: table.metered(state.meter).withSignal(signal),
      context: { ...state, claims, representation, path, headerOf, refreshCaller, expectMs, signal },
    });
    return respond(state, 200, url !== undefined && event.httpMethod === 'GET' ? cacheable(result) : result);
  });
  return toHandler(chain);
}

/** A sheet requests a URL again and again; the key is part of what a browser's cache compares. */
function cacheable({ headers = {}, ...result }: HandlerResult): HandlerResult {
  const { Vary = 'Accept' } = headers;
  const caching = { 'Cache-Control': 'private, max-age=60', Vary: `${Vary}, ${KEY_HEADER}` };
  return { ...result, headers: { ...headers, ...caching } };
}
