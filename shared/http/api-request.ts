import type { Request } from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import type { Caller, Meter, TokenClaims } from '../identity/identity.ts';
import type { ProblemCode } from '../lib/errors.ts';

/** Counts what a request used. */
export interface RequestMeter extends Meter {
  /** Fact rows that a report looked at, set by the report. */
  rowsScanned?: number;
}

/** What the chain finds out about a request on its way, each middleware its part. */
export interface RequestState {
  readonly requestId: string;
  /** `performance.now()` when the request came in. */
  readonly startedAt: number;
  /** When the caller is to be told that there is no time left, on the same clock. */
  readonly deadline: number;
  readonly meter: RequestMeter;
  /** Whose API key it bears. */
  caller?: Caller;
  /** The claims of the bearer token, where one was sent. */
  claims?: TokenClaims;
  /** Path, query and body, parsed by the endpoint's schemas. */
  input?: unknown;
  /** Code of the problem that is answered. */
  problem?: ProblemCode;
}

/** The gateway's event; `body` is the text as sent until the body parser has been there, then what the JSON says. */
export interface ApiEvent extends Omit<APIGatewayProxyEvent, 'body'> {
  body: unknown;
  state: RequestState;
}

export type ApiRequest = Request<ApiEvent, APIGatewayProxyResult, Error, Context>;

/** @returns all values of a header, whatever the case of its name; of a repeated header each. */
export function headerValues(event: ApiEvent, name: string): readonly string[] {
  return Object.entries(event.multiValueHeaders ?? {}).flatMap(([sent, values]) =>
    sent.toLowerCase() === name ? (values ?? []) : [],
  );
}

/** @returns all values of a query parameter, in order. */
export function queryValues(event: ApiEvent, name: string): readonly string[] {
  return event.multiValueQueryStringParameters?.[name] ?? [];
}
