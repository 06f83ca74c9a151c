import httpJsonBodyParser from '@middy/http-json-body-parser';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { ApiError } from '../lib/errors.ts';
import { type ApiMiddleware, headerValues, REPLACEMENT } from './message/api-request.ts';

/** Maximum size of a request body, in bytes. */
export const MAX_BODY_BYTES = 1_048_576;

const JSON_TYPE = /^application\/json\s*(;|$)/i;

const NOT_JSON =
  'The body is not well-formed JSON, is nested too deeply, or has a member __proto__ or constructor.prototype.';

/** Checks size, media type and encoding of the body, and replaces its text by the parsed JSON. */
export const jsonBody = (): ApiMiddleware => {
  const parser = httpJsonBodyParser<APIGatewayProxyEvent>({ disableContentTypeCheck: true });
  return {
    before: async (request) => {
      if (request.event.httpMethod === 'GET') return; // a report as a URL
      checkSize(request.event);
      checkType(request.event);
      const text = checkText(request.event);
      try {
        parser.before?.(request);
      } catch (cause) {
        const { explainMalformed } = await import('./explain-malformed.ts'); // with a parser that only malformed bodies need
        throw new ApiError('MALFORMED_JSON', explainMalformed(text) ?? NOT_JSON, { cause });
      }
    },
  };
};

function checkSize({ body, isBase64Encoded }: APIGatewayProxyEvent): void {
  if (typeof body !== 'string') return;
  const bytes = Buffer.byteLength(body, isBase64Encoded ? 'base64' : 'utf8');
  if (bytes <= MAX_BODY_BYTES) return;
  const detail = `The body has ${bytes} bytes; the maximum is ${MAX_BODY_BYTES}.`;
  throw new ApiError('PAYLOAD_TOO_LARGE', detail);
}

function checkType(event: APIGatewayProxyEvent): void {
  const types = headerValues(event, 'content-type');
  if (types.length > 0 && types.every((type) => JSON_TYPE.test(type.trim()))) return;
  const detail = 'Send the body as JSON, with the header Content-Type: application/json.';
  throw new ApiError('UNSUPPORTED_MEDIA_TYPE', detail, { headers: { Accept: 'application/json' } });
}

/** @returns the body, decoded */
function checkText({ body, isBase64Encoded }: APIGatewayProxyEvent): string {
  const text = Buffer.from(String(body ?? ''), isBase64Encoded ? 'base64' : 'utf8').toString();
  if (text === '') throw new ApiError('MALFORMED_JSON', 'The body is empty; send a JSON object.');
  if (text.includes(REPLACEMENT))
    throw new ApiError('MALFORMED_JSON', 'The body is not UTF-8: it has invalid bytes, or U+FFFD.');
  return text;
}
