import httpJsonBodyParser from '@middy/http-json-body-parser';
import { ApiError } from '../lib/errors.ts';
import { type ApiEvent, type ApiRequest, headerValues } from './message/api-request.ts';

/** Maximum size of a request body, in bytes. */
export const MAX_BODY_BYTES = 1_048_576;

const JSON_TYPE = /^application\/json\s*(;|$)/i;

/** Replaces bytes that are not UTF-8 when the body is decoded, so that different texts could become equal. */
const REPLACEMENT = '\ufffd';

const parser = httpJsonBodyParser({ disableContentTypeCheck: true });

/** Checks size, media type and encoding of the body, and replaces its text by the parsed JSON. */
export const jsonBody = {
  before: (request: ApiRequest): void => {
    const { event } = request;
    checkSize(event);
    checkType(event);
    const text = textOf(event);
    if (text === '') throw new ApiError('MALFORMED_JSON', 'The body is empty; send a JSON object.');
    if (text.includes(REPLACEMENT)) {
      throw new ApiError('MALFORMED_JSON', 'The body is not UTF-8: it has invalid bytes, or U+FFFD.');
    }
    try {
      // the parser's request differs from ours only in that it leaves the body's type open
      parser.before?.(request as unknown as Parameters<NonNullable<typeof parser.before>>[0]);
    } catch (error) {
      event.body = parseRejected(text, error);
    }
  },
};

/** The parser also rejects members such as `__proto__`, and deep nesting. The endpoint's schema rejects them, too, and names the field. */
function parseRejected(text: string, cause: unknown): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ApiError('MALFORMED_JSON', 'The body is not well-formed JSON.', { cause });
  }
}

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

function textOf({ body, isBase64Encoded }: ApiEvent): string {
  return Buffer.from(String(body ?? ''), isBase64Encoded ? 'base64' : 'utf8').toString();
}
