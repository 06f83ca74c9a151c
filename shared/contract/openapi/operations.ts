import type * as z from 'zod/mini';
import type { ProblemCode } from '../../lib/errors.ts';
import { submitReportInput } from '../report/report-request.ts';
import { ReportResultResponse } from '../report/report-response.ts';
import { FieldResponse, listFieldsInput } from '../resources/field.ts';
import { getJwtInput, KeySetResponse, TokenClaims, TokenResponse } from '../resources/jwt.ts';
import { ReportUrlQuery } from './report-url-query.ts';

/** One operation of the OpenAPI document, without its path and method. */
export interface Operation {
  readonly summary: string;
  readonly description: string;
  readonly tag: 'Metadata' | 'Products' | 'Reports' | 'Tokens';
  readonly input: {
    readonly path?: z.ZodMiniObject;
    readonly query?: z.ZodMiniObject;
    readonly body?: z.ZodMiniType;
  };
  /** Schema of the response with status 200. */
  readonly response: z.ZodMiniType;
  /** Whether the response may have a Link to the next page. */
  readonly paged: boolean;
  /** Formats besides JSON in which the response is available. */
  readonly formats?: readonly ('csv' | 'arrow')[];
  /** Problems of this operation besides COMMON_PROBLEMS, or besides PUBLIC_PROBLEMS if it is public. */
  readonly problems: readonly ProblemCode[];
  /** Whether everybody may send the request: it needs no API key, and its response may be cached. */
  readonly public?: true;
}

/** The operations of the contract that are no listings. */
export const OPERATIONS = {
  listFields: {
    input: listFieldsInput,
    tag: 'Metadata',
    summary: 'List the fields of reports',
    description:
      'Returns the catalogue of reports as data: all metrics and dimensions with their types, units and meanings, the filter operators, and the rules that ' +
      'say when fields have no values. It is the same for all callers and changes only with the version of the service.',
    response: FieldResponse,
    paged: false,
    problems: [],
  },
  submitReport: {
    input: submitReportInput,
    tag: 'Reports',
    summary: 'Submit a report',
    description:
      'Submits a report for product listing ads or another experience and returns its rows. Rows are sorted as requested, ties by all dimensions in ' +
      'ascending order, so that pages neither overlap nor leave rows out. A sum without facts is 0. Null means that there is no value: the metric ' +
      'is undefined in this report, its denominator is 0, or the attribute or dimension has none.\n\n' +
      'Dates may be relative: `startOfMonth-1m` to `endOfMonth-1m` is last month, and `today-28d` to `yesterday` the last 28 days. `meta.period` has the ' +
      'resulting dates; request further pages with them.\n\n' +
      'A page of more than 5.5 MB is compressed with `br` or `gzip`. The request must accept that, with the headers `Accept: application/json` and, for ' +
      'example, `Accept-Encoding: gzip`, which most clients send by default. Otherwise, or ' +
      'if the page is still too large, the response is `PAGE_TOO_LARGE`, with a smaller page size to request.',
    response: ReportResultResponse,
    paged: false,
    formats: ['csv', 'arrow'],
    problems: [
      'NOT_ACCEPTABLE',
      'MALFORMED_JSON',
      'ADVERTISER_FORBIDDEN',
      'PAYLOAD_TOO_LARGE',
      'UNSUPPORTED_MEDIA_TYPE',
      'INVALID_REQUEST',
      'PAGE_TOO_LARGE',
      'REPORT_TOO_EXPENSIVE',
    ],
  },
  getReport: {
    input: { path: submitReportInput.path, query: ReportUrlQuery },
    tag: 'Reports',
    summary: 'Get a report as a URL',
    description:
      'The same report as a URL, for sheets, BI tools and scripts that can only send GET, in the grammar of the explorer’s links. Checks, limits, warnings and rows are ' +
      'those of a POST; problems name the parameter. Without `size` the response has all rows, or is the problem `PAGE_TOO_LARGE`. It may be cached for a minute.',
    response: ReportResultResponse,
    paged: false,
    formats: ['csv', 'arrow'],
    problems: ['NOT_ACCEPTABLE', 'ADVERTISER_FORBIDDEN', 'INVALID_REQUEST', 'PAGE_TOO_LARGE', 'REPORT_TOO_EXPENSIVE'],
  },
  getJwt: {
    input: getJwtInput,
    tag: 'Tokens',
    summary: 'Get a JWT',
    description:
      'Returns a new JWT for the caller; it is valid for an hour. Every operation that needs an API key verifies a JWT that is sent as `Authorization: Bearer`. A JWT ' +
      'never replaces the key.',
    response: TokenResponse,
    paged: false,
    problems: [],
  },
  getJwtClaims: {
    input: getJwtInput,
    tag: 'Tokens',
    summary: 'Show the claims of the JWT',
    description:
      'Returns the claims of the JWT in `Authorization: Bearer` or, without one, the claims of a JWT that would be issued now.',
    response: TokenClaims,
    paged: false,
    problems: [],
  },
  getJwks: {
    input: {},
    tag: 'Tokens',
    summary: 'Get the public keys',
    description:
      'Returns the public keys with which everybody can verify the tokens, as a JSON Web Key Set. It needs no API key. A token’s header names its key (`kid`). ' +
      'The response may be cached for five minutes; libraries for JWT fetch it again when a token names an unknown key.',
    response: KeySetResponse,
    public: true,
    paged: false,
    problems: [],
  },
} as const satisfies Readonly<Record<string, Operation>>;
