/**
 * Every error of the service by its code, with its HTTP status and title. The union is closed and published in the OpenAPI document. The title
 * describes the code; the `detail` of a response describes the occurrence and what is allowed.
 */
export const PROBLEMS = {
  MALFORMED_URL: { status: 400, title: 'The URL is not well-formed' },
  MALFORMED_JSON: { status: 400, title: 'The body is not well-formed JSON' },
  KEY_MISSING: { status: 401, title: 'No API key was sent' },
  KEY_INVALID: { status: 401, title: 'The API key is not valid' },
  KEY_CONFLICT: { status: 401, title: 'Two different API keys were sent' },
  TOKEN_INVALID: { status: 401, title: 'The bearer token is not valid' },
  ACCOUNT_FORBIDDEN: { status: 403, title: 'The account is not one of yours' },
  ADVERTISER_FORBIDDEN: { status: 403, title: 'An advertiser is not one of yours' },
  SCOPE_FORBIDDEN: { status: 403, title: 'The API key does not allow this operation' },
  ADDRESS_FORBIDDEN: { status: 403, title: 'The API key must not be used from this address' },
  NOT_FOUND: { status: 404, title: 'There is no such resource' },
  AD_GROUP_NOT_FOUND: { status: 404, title: 'There is no such ad group' },
  METHOD_NOT_ALLOWED: { status: 405, title: 'The method is not allowed here' },
  NOT_ACCEPTABLE: { status: 406, title: 'No format that Accept allows is available' },
  CHANGES_GONE: { status: 410, title: 'The changes since then are not known any more' },
  PAYLOAD_TOO_LARGE: { status: 413, title: 'The body is too large' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, title: 'The type or encoding of the body is not supported' },
  INVALID_REQUEST: { status: 422, title: 'The request has invalid fields' },
  PAGE_TOO_LARGE: { status: 422, title: 'The page would be too large' },
  REPORT_TOO_EXPENSIVE: { status: 422, title: 'The report would take too much time or memory' },
  TOO_MANY_REQUESTS: { status: 429, title: 'Too many requests' },
  INTERNAL_ERROR: { status: 500, title: 'Something went wrong on our side' },
  SERVICE_BUSY: { status: 503, title: 'The service is busy' },
  STORE_BUSY: { status: 503, title: 'The data store is busy' },
  STORE_INCONSISTENT: { status: 503, title: 'The data is not readable at the moment' },
  DEADLINE_EXCEEDED: { status: 504, title: 'The response was not ready in time' },
} as const satisfies Readonly<Record<string, { status: number; title: string }>>;

export type ProblemCode = keyof typeof PROBLEMS;

/** What can be wrong with one field of a request. The union is closed and published in the OpenAPI document. */
export const FIELD_CODES = {
  REQUIRED: 'The field is missing.',
  WRONG_TYPE: 'The value does not have the JSON type of the field.',
  WRONG_FORMAT: 'The string does not have the format of the field.',
  OUT_OF_RANGE: 'The number, date, length of the list or depth of nesting is out of range.',
  NOT_ALLOWED: 'The value is not one of the allowed values.',
  UNKNOWN_MEMBER: 'The object must not have this member.',
  UNKNOWN_PARAMETER: 'A report as a URL has no such parameter.',
  DUPLICATE: 'The value occurs in the list more than once.',
  WRONG_COUNT: 'The operator takes a different number of values.',
  NO_SUCH_DATE: 'The date does not exist in the calendar.',
  END_BEFORE_START: 'The end date is before the start date.',
  TOO_MANY_DAYS: 'The dates span more days than a report may.',
  NOTHING_REQUESTED: 'Neither a metric nor a dimension is requested.',
  NOT_REQUESTED: 'The report is sorted by a field that is not requested.',
  NOT_YOURS: 'The id belongs to somebody else, or does not exist.',
  TOO_EXPENSIVE: 'The request would exceed the time limit or the memory limit.',
  PAGE_TOO_LARGE: 'The page would exceed the size limit of a response.',
} as const satisfies Readonly<Record<string, string>>;
export type FieldCode = keyof typeof FIELD_CODES;

/** One invalid field of a request. `in` says where the field is; `pointer` is a JSON pointer into the body, or the name of the parameter or header. */
export interface FieldProblem {
  readonly in: 'query' | 'path' | 'header' | 'body';
  readonly pointer: string;
  readonly code: FieldCode;
  readonly detail: string;
}

/** The only error class whose message is sent to the caller. Any other error results in a 500 without details. */
export class ApiError extends Error {
  readonly code: ProblemCode;
  readonly status: number;
  readonly fields: readonly FieldProblem[];
  readonly headers: Readonly<Record<string, string>>;

  /** @param detail what happened and what is allowed; must be safe to show to the caller */
  constructor(
    code: ProblemCode,
    detail: string,
    options: { fields?: readonly FieldProblem[]; headers?: Readonly<Record<string, string>>; cause?: unknown } = {},
  ) {
    super(detail, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'ApiError';
    this.code = code;
    this.status = PROBLEMS[code].status;
    this.fields = options.fields ?? [];
    this.headers = options.headers ?? {};
  }
}
