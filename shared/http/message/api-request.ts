import type { Request } from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import type { Caller, Meter, TokenClaims } from '../../identity/identity.ts';
import type { ApiKey } from '../../identity/keys/key-record.ts';
import type { Admission } from '../../identity/limits/key-limiter.ts';
import type { Deadline } from '../../lib/deadline.ts';
import type { ProblemCode } from '../../lib/errors.ts';
import type { LogIds } from '../../lib/log.ts';
import type { Representation } from './negotiate.ts';

/** Counts what a request used. */
interface RequestMeter extends Meter {
  /** Fact rows that the report scanned; set by reports only. */
  rowsScanned?: number;
}

/** What the chain has established about a request so far; each middleware sets its part. */
export interface RequestState extends LogIds {
  readonly requestId: string;
  /** Whether the request waited for a new instance to load its code. */
  readonly coldStart: boolean;
  /** `performance.now()` when the request arrived. */
  readonly startedAt: number;
  /** When the request fails with a 504. */
  readonly deadline: Deadline;
  readonly meter: RequestMeter;
  /** The headers by which a browser decides whether a script of another origin may read the response. */
  readonly cors: Readonly<Record<string, string>>;
  /** Set by `apiKey`. */
  caller?: Caller;
  /** The first characters of the API key that was sent, if it begins like one; set by `apiKey`. */
  keyPrefix?: string;
  /** The record of the API key; set by `apiKey`. */
  key?: ApiKey;
  /** Set by `keyLimits`. */
  admission?: Admission;
  /** Claims of the bearer token, if the client sent one. */
  claims?: TokenClaims;
  /** How the response is written, if the endpoint offers a choice. */
  representation?: Representation;
  /** Path, query and body, parsed by the endpoint's schemas. */
  input?: unknown;
  /** Value of the header about unknown query parameters; undefined if there are none. Set by `parseInput`. */
  parameterWarnings?: string | undefined;
  /** Code of the problem in the response, if the request failed. */
  problem?: ProblemCode;
}

/** The gateway's event. `body` is what was sent, in base64 if `isBase64Encoded`; `jsonBody` replaces it by the parsed JSON. */
export interface ApiEvent extends Omit<APIGatewayProxyEvent, 'body'> {
  body: unknown;
  state: RequestState;
}

/** A Lambda handler behind API Gateway. */
export type ApiHandler = (event: APIGatewayProxyEvent, context: Context) => Promise<APIGatewayProxyResult>;

export type ApiRequest = Request<ApiEvent, APIGatewayProxyResult, Error, Context>;

/**
 * @param name in lower case; header names are compared case-insensitively
 * @returns all values of a header; of a repeated header, each of them
 */
export function headerValues(event: Pick<ApiEvent, 'multiValueHeaders'>, name: string): readonly string[] {
  return Object.entries(event.multiValueHeaders ?? {}).flatMap(([sent, values]) =>
    sent.toLowerCase() === name ? (values ?? []) : [],
  );
}

/** @returns all values of a query parameter, in order */
export function queryValues(event: ApiEvent, name: string): readonly string[] {
  return event.multiValueQueryStringParameters?.[name] ?? [];
}
