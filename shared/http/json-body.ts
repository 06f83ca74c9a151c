import { ApiError } from '../lib/errors.ts';
import { type ApiEvent, type ApiRequest, headerValues } from './message/api-request.ts';

/** Maximum size of a request body, in bytes. */
export const MAX_BODY_BYTES = 1_048_576;

const JSON_TYPE = /^application\/json\s*(;|$)/i;

/** Replaces bytes that are not UTF-8 when the body is decoded, so that different texts could become equal. */
const REPLACEMENT = '\ufffd';

/** Replaces the text of the body by the parsed JSON. */
export const jsonBody = {
  before: ({ event }: ApiRequest): void => {
    checkSize(event);
    checkType(event);
    const text = textOf(event);
    if (text === '') throw new ApiError('MALFORMED_JSON', 'The body is empty; send a JSON object.');
    if (text.includes(REPLACEMENT)) {
      throw new ApiError('MALFORMED_JSON', 'The body is not UTF-8: it has invalid bytes, or U+FFFD.');
    }
    try {
      event.body = JSON.parse(text);
    } catch (error) {
      throw new ApiError('MALFORMED_JSON', 'The body is not well-formed JSON.', { cause: error });
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

function textOf({ body, isBase64Encoded }: ApiEvent): string {
  return Buffer.from(String(body ?? ''), isBase64Encoded ? 'base64' : 'utf8').toString();
}
