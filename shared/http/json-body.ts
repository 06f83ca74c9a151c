import httpJsonBodyParser from '@middy/http-json-body-parser';
import { ApiError } from '../lib/errors.ts';
import { isNestedDeeper } from '../lib/json-depth.ts';
import { locateJsonError, positionAt, type TextPosition } from './locate-json-error.ts';
import { type ApiEvent, type ApiRequest, headerValues } from './message/api-request.ts';

/** Maximum size of a request body, in bytes. */
export const MAX_BODY_BYTES = 1_048_576;

/** Maximum depth of nested arrays and objects; a report request has 4. The parser is recursive, so deeper nesting could overflow its stack. */
export const MAX_BODY_DEPTH = 32;

const JSON_TYPE = /^application\/json\s*(;|$)/i;

const parser = httpJsonBodyParser({ disableContentTypeCheck: true });

/** Replaces the text of the body by the parsed JSON. */
export const jsonBody = {
  before: (request: ApiRequest): void => {
    const { event } = request;
    checkSize(event);
    checkType(event);
    if (event.body === null || event.body === '') {
      throw new ApiError('MALFORMED_JSON', 'The body is empty; send a JSON object.');
    }
    const text = textOf(event);
    checkEncoding(text);
    checkDepth(text);
    try {
      // the parser's request differs from ours only in that it leaves the body's type open
      parser.before?.(request as unknown as Parameters<NonNullable<typeof parser.before>>[0]);
    } catch (error) {
      throw toApiError(error, event);
    }
  },
};

function checkSize({ body, isBase64Encoded }: ApiEvent): void {
  if (typeof body !== 'string') return;
  const bytes = Buffer.byteLength(body, isBase64Encoded ? 'base64' : 'utf8');
  if (bytes <= MAX_BODY_BYTES) return;
  const detail = `The body has ${bytes} bytes; the maximum is ${MAX_BODY_BYTES}.`;
  throw new ApiError('PAYLOAD_TOO_LARGE', detail);
}

function checkType(event: ApiEvent): void {
  const types = headerValues(event, 'content-type');
  if (types.length > 0 && types.every((type) => JSON_TYPE.test(type.trim()))) return;
  const detail = 'Send the body as JSON, with the header Content-Type: application/json.';
  throw new ApiError('UNSUPPORTED_MEDIA_TYPE', detail, { headers: { Accept: 'application/json' } });
}

/** Replaces bytes that are not UTF-8 when the body is decoded, so that different texts could become equal. */
const REPLACEMENT = '\ufffd';

function checkEncoding(text: string): void {
  const offset = text.indexOf(REPLACEMENT);
  if (offset < 0) return;
  const position = describePosition(positionAt(text, offset));
  throw new ApiError('MALFORMED_JSON', `The body is not UTF-8: it has invalid bytes, or U+FFFD, at ${position}.`);
}

function checkDepth(text: string): void {
  if (!isNestedDeeper(text, MAX_BODY_DEPTH)) return;
  const detail = `Arrays and objects may be nested ${MAX_BODY_DEPTH} levels deep.`;
  throw new ApiError('INVALID_REQUEST', 'The body is nested too deeply; see errors.', {
    fields: [{ in: 'body', pointer: '', code: 'OUT_OF_RANGE', detail }],
  });
}

function textOf({ body, isBase64Encoded }: ApiEvent): string {
  return isBase64Encoded ? Buffer.from(String(body), 'base64').toString() : String(body);
}

/** The parser rejects malformed JSON, and members that would change an object's prototype. */
function toApiError(error: unknown, event: ApiEvent): ApiError {
  const isForbidden = error instanceof Error && error.message === 'Forbidden key in JSON body';
  if (!isForbidden) return new ApiError('MALFORMED_JSON', describeMalformed(event), { cause: error });
  const detail = 'An object must not have a member named __proto__, or a member constructor with a member prototype.';
  return new ApiError('INVALID_REQUEST', 'The body has a member that is never allowed; see errors.', {
    fields: [{ in: 'body', pointer: '', code: 'UNKNOWN_MEMBER', detail }],
    cause: error,
  });
}

function describeMalformed(event: ApiEvent): string {
  const { isAtEnd, ...position } = locateJsonError(textOf(event));
  const what = isAtEnd ? 'it ends too early, at' : 'there is an error at';
  return `The body is not well-formed JSON: ${what} ${describePosition(position)}.`;
}

function describePosition({ line, column }: TextPosition): string {
  return `line ${line}, column ${column}`;
}
