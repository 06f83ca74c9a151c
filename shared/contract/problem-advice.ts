import type { ProblemCode } from '../lib/errors.ts';

/** What to do about each problem, for the pages that `type` links to; in Markdown with no markup but code spans. */
export const PROBLEM_ADVICE: Readonly<Record<ProblemCode, string>> = {
  MALFORMED_URL: 'Encode the URL as UTF-8.',
  MALFORMED_JSON: 'Correct the JSON where `detail` says, or send it as UTF-8.',
  KEY_MISSING: 'Send your API key.',
  KEY_INVALID: 'The key is mistyped, unknown, expired or revoked: check it, or ask the operator for a new one.',
  KEY_CONFLICT: 'Send only one key.',
  TOKEN_INVALID: 'Get a new token, or omit `Authorization`.',
  ACCOUNT_FORBIDDEN: 'Use one of your accounts; the response is the same if the account does not exist.',
  ADVERTISER_FORBIDDEN: 'Use your own advertisers; `errors` lists the others.',
  SCOPE_FORBIDDEN: 'The key is limited to other operations: use another key.',
  ADDRESS_FORBIDDEN: 'The key is limited to other client addresses.',
  NOT_FOUND: 'Correct the path.',
  AD_GROUP_NOT_FOUND: 'Use one of your ad groups; the response is the same if the ad group belongs to somebody else.',
  METHOD_NOT_ALLOWED: 'Use the method in `Allow`.',
  NOT_ACCEPTABLE: 'Allow one of the formats in `detail` in `Accept`.',
  CHANGES_GONE: 'Copy everything, then go on with the token in `detail`.',
  PAYLOAD_TOO_LARGE: 'Send a smaller body.',
  UNSUPPORTED_MEDIA_TYPE:
    'Send JSON, with `Content-Type: application/json`, and without `Content-Encoding` or with gzip or deflate.',
  INVALID_REQUEST: 'Correct the fields in `errors`.',
  PAGE_TOO_LARGE:
    'Request the page size in `detail` or a smaller one; for a report, you can accept compression instead.',
  REPORT_TOO_EXPENSIVE:
    'Request fewer days, advertisers or dimensions; `detail` has the estimate. Reports by ad group, campaign, advertiser and date cost least, because loads store such sums by month.',
  TOO_MANY_REQUESTS:
    'Your key has reached a limit, the service is overloaded, or the firewall blocks your IP address (`detail` says which): retry after `Retry-After` seconds.',
  INTERNAL_ERROR: 'Report it with the `requestId`.',
  SERVICE_BUSY: 'No function instance is available: retry after `Retry-After` seconds.',
  STORE_BUSY: 'The database or the signing key is throttled or unreachable: retry after `Retry-After` seconds.',
  STORE_INCONSISTENT: 'The data could not be read completely: retry after `Retry-After` seconds.',
  DEADLINE_EXCEEDED: 'Retry once. If it happens again, request fewer days or rows.',
};
