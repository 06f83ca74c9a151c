import httpJsonBodyParser from '@middy/http-json-body-parser';
import { ApiError } from '../lib/errors.ts';
import { type ApiEvent, type ApiRequest, headerValues } from './api-request.ts';
import { locateJsonError, type Place, placeOf } from './locate-json-error.ts';

/** The largest body that is read, in bytes. */
export const MAX_BODY_BYTES = 1_048_576;

const JSON_TYPE = /^application\/json\s*(;|$)/i;

const parser = httpJsonBodyParser({ disableContentTypeCheck: true });

/** Replaces the body's text by what its JSON says. */
export const jsonBody = {
  before: (request: ApiRequest): void => {
    const { event } = request;
    checkSize(event);
    checkType(event);
    if (event.body === null || event.body === '') {
      throw new ApiError('MALFORMED_JSON', 'The body is empty; send a JSON object.');
    }
    checkEncoding(textOf(event));
    try {
      // the parser's request differs from ours only in that it leaves the body's type open
      parser.before?.(request as unknown as Parameters<NonNullable<typeof parser.before>>[0]);
    } catch (error) {
      throw translate(error, event);
    }
  },
};

function checkSize({ body, isBase64Encoded }: ApiEvent): void {
  if (typeof body !== 'string') return;
  const bytes = Buffer.byteLength(body, isBase64Encoded ? 'base64' : 'utf8');
  if (bytes <= MAX_BODY_BYTES) return;
  throw new ApiError('PAYLOAD_TOO_LARGE', `A body may have ${MAX_BODY_BYTES} bytes; this one has ${bytes}.`);
}

function checkType(event: ApiEvent): void {
  const types = headerValues(event, 'content-type');
  if (types.length > 0 && types.every((type) => JSON_TYPE.test(type.trim()))) return;
  const detail = 'Send the body as application/json, and say so in the header Content-Type.';
  throw new ApiError('UNSUPPORTED_MEDIA_TYPE', detail, { headers: { Accept: 'application/json' } });
}

/** What bytes that are no UTF-8 are replaced by, before the body gets here: two values that differed would be the same. */
const REPLACED = '\ufffd';

function checkEncoding(text: string): void {
  const at = text.indexOf(REPLACED);
  if (at < 0) return;
  const place = describePlace(placeOf(text, at));
  throw new ApiError(
    'MALFORMED_JSON',
    `The body is not UTF-8: at ${place} it has bytes that are no character, or U+FFFD.`,
  );
}

function textOf({ body, isBase64Encoded }: ApiEvent): string {
  return isBase64Encoded ? Buffer.from(String(body), 'base64').toString() : String(body);
}

/** The parser refuses JSON that it cannot read, and members that would reach an object's prototype. */
function translate(error: unknown, event: ApiEvent): ApiError {
  const forbidden = error instanceof Error && error.message === 'Forbidden key in JSON body';
  if (!forbidden) return new ApiError('MALFORMED_JSON', describeMalformed(event), { cause: error });
  const detail = 'No object may have a member named __proto__, nor a constructor with a prototype.';
  const fields = [{ in: 'body', pointer: '', code: 'UNKNOWN_MEMBER', detail } as const];
  return new ApiError('INVALID_REQUEST', 'The body has a member that is not allowed anywhere.', {
    fields,
    cause: error,
  });
}

function describeMalformed(event: ApiEvent): string {
  const { isAtEnd, ...place } = locateJsonError(textOf(event));
  return `The body is not well-formed JSON: it ${isAtEnd ? 'ends too early, at' : 'goes wrong at'} ${describePlace(place)}.`;
}

function describePlace({ line, column }: Place): string {
  return `line ${line}, column ${column}`;
}
