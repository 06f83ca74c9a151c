import type { FieldProblem, Problem } from './schema.ts';

export type { FieldProblem, Problem };

/**
 * The code of a problem of the service, or one of the client's own: `UNEXPECTED_RESPONSE` if the response is not the service's, such as a page of a
 * proxy, and `DATA_CHANGED` if data was loaded while the pages of a report were read.
 */
export type ErrorCode = Problem['code'] | 'UNEXPECTED_RESPONSE' | 'DATA_CHANGED';

/**
 * Every error of a call except `fetch`'s own: a failed connection rejects with its `TypeError`, an abort with the signal's reason.
 */
export class EndcapError extends Error {
  override readonly name = 'EndcapError';
  readonly code: ErrorCode;
  /** The message without the invalid fields. */
  readonly detail: string;
  readonly status: number;
  /** Quote it in questions about the request. */
  readonly requestId: string | undefined;
  readonly fields: readonly FieldProblem[];
  /** Seconds to wait before a retry, if the response has them. */
  readonly retryAfter: number | undefined;

  /** @param detail the `detail` of the service's problem, or a sentence of the client */
  constructor(
    code: ErrorCode,
    detail: string,
    details: {
      readonly status: number;
      readonly requestId?: string | undefined;
      readonly fields?: readonly FieldProblem[];
      readonly retryAfter?: number | undefined;
      readonly cause?: unknown;
    },
  ) {
    const { fields = [], cause } = details;
    const invalid = fields.slice(0, 2).map((field) => `${field.pointer}: ${field.detail}`);
    super([detail, ...invalid].join(' '), cause === undefined ? undefined : { cause });
    this.code = code;
    this.detail = detail;
    this.status = details.status;
    this.requestId = details.requestId;
    this.fields = fields;
    this.retryAfter = details.retryAfter;
  }
}

/** @param body the body of the response; JSON if it is JSON, else text */
export function toEndcapError(response: Response, body: unknown): EndcapError {
  const { status, headers } = response;
  const retryAfter = retryAfterOf(response);
  if (isProblem(body)) {
    const { code, detail, requestId, errors } = body;
    return new EndcapError(code, detail, { status, requestId, fields: errors, retryAfter });
  }
  const advice = status >= 500 ? 'the service is not available at the moment' : 'check the URL';
  const message = `The response has status ${status} and no problem details: ${advice}.`;
  const requestId = headers.get('x-request-id') ?? undefined;
  return new EndcapError('UNEXPECTED_RESPONSE', message, { status, requestId, retryAfter });
}

/** @returns the error for pages that are not of the same data */
export function dataChanged(requestId: string | undefined): EndcapError {
  const message = 'New data was loaded while the pages of the report were read; read the report again.';
  return new EndcapError('DATA_CHANGED', message, { status: 200, requestId });
}

/** @returns seconds to wait according to Retry-After, at least 0, possibly fractional; undefined if the header is missing or invalid */
export function retryAfterOf({ headers }: Response): number | undefined {
  const text = headers.get('retry-after');
  if (text === null) return undefined;
  const seconds = /^\d/.test(text) ? Number(text) : (Date.parse(text) - Date.now()) / 1000;
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds);
}

function isProblem(body: unknown): body is Problem {
  return typeof body === 'object' && body !== null && 'code' in body && 'detail' in body && 'errors' in body;
}
