import type { MiddlewareObj } from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import type { Caller, Meter, TokenClaims } from '../../identity/identity.ts';
import type { Admission } from '../../identity/key-limiter.ts';
import type { ApiKey } from '../../identity/keys/key-record.ts';
import type { Deadline } from '../../lib/deadline.ts';
import type { ProblemCode } from '../../lib/errors.ts';
import type { CacheUse, LogIds } from '../../lib/log.ts';
import type { Representation } from './negotiate.ts';

/** Counts what a request used. */
interface RequestMeter extends Meter {
  /** Fact rows that the report scanned; set by reports only. */
  rowsScanned?: number;
  /** What the report found in the instance's cache of facts; set by reports only. */
  cache?: CacheUse;
}

/** What the chain has established about a request so far; each middleware sets its part. */
export interface RequestState extends LogIds {
  readonly requestId: string;
  /** Whether the request waited for a new instance to load its code. */
  readonly coldStart: boolean;
  /** The time of `elapsedClock` when the request arrived. */
  readonly startedAt: number;
  /** When the request fails with a 504. */
  readonly deadline: Deadline;
  readonly meter: RequestMeter;
  /** The headers by which a browser decides whether a script of another origin may read the response. Set by `cors`. */
  cors: Readonly<Record<string, string>>;
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
  input?: ParsedInput;
  /** Set by `parseInput`: whether the response must have all rows, because the URL of the report has no size. */
  isWhole?: boolean;
  /** Value of the header about unknown query parameters; undefined if there are none. Set by `parseInput`. */
  parameterWarnings?: string | undefined;
  /** Code of the problem in the response, if the request failed. */
  problem?: ProblemCode;
}

/** Lambda's context, with what the chain has established about the request. */
export interface ApiContext extends Context {
  readonly state: RequestState;
}

/** The methods of the API's operations. */
export type Method = 'GET' | 'POST';

/** Stands for bytes that are not UTF-8 once a text has been decoded. */
export const REPLACEMENT = '\ufffd';

/** A Lambda handler behind API Gateway. */
export type ApiHandler = (event: APIGatewayProxyEvent, context: Context) => Promise<APIGatewayProxyResult>;

export type ApiMiddleware = MiddlewareObj<APIGatewayProxyEvent, APIGatewayProxyResult, Error, ApiContext>;

/** Path, query and body of a request, each as its schema returns it; absent if the endpoint has no schema for it. */
export type ParsedInput = Readonly<Partial<Record<'path' | 'query' | 'body', unknown>>>;

/**
 * @param name in lower case; header names are compared case-insensitively
 * @returns all values of a header; of a repeated header, each of them
 */
export function headerValues(event: Pick<APIGatewayProxyEvent, 'multiValueHeaders'>, name: string): readonly string[] {
  return Object.entries(event.multiValueHeaders ?? {}).flatMap(([sent, values]) =>
    sent.toLowerCase() === name ? (values ?? []) : [],
  );
}

/** @returns all values of a query parameter, in order */
export function queryValues(event: APIGatewayProxyEvent, name: string): readonly string[] {
  return event.multiValueQueryStringParameters?.[name] ?? [];
}
