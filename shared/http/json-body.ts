import httpJsonBodyParser from '@middy/http-json-body-parser';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import type { JSONVisitor } from 'jsonc-parser';
import { ApiError } from '../lib/errors.ts';
import { type ApiMiddleware, headerValues, REPLACEMENT } from './message/api-request.ts';

/** Maximum size of a request body, in bytes. */
export const MAX_BODY_BYTES = 1_048_576;

const JSON_TYPE = /^application\/json\s*(;|$)/i;

const NOT_JSON =
  'The body is not well-formed JSON, is nested too deeply, or has a member __proto__ or constructor.prototype.';

/** What is usually wrong, by the parser's code. */
const CAUSES: Readonly<Record<string, string>> = {
  CommaExpected: ': a comma before it is missing',
  ColonExpected: ': a colon before it is missing',
  InvalidCommentToken: ': comments are not allowed',
  InvalidSymbol: ': names and texts need quotation marks; without them there are only true, false, null and numbers',
  UnexpectedEndOfString: ': the text has a line break, or no quotation mark at its end',
};

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
        throw new ApiError('MALFORMED_JSON', (await explainMalformed(text)) ?? NOT_JSON, { cause });
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

/** @returns where the text stops being JSON, and probably why; undefined if that is not found. Errors of `JSON.parse` do not always have a place */
async function explainMalformed(text: string): Promise<string | undefined> {
  const { printParseErrorCode, visit } = await import('jsonc-parser'); // only a malformed body needs it
  const causeOf = (code: string, offset: number) => {
    const at = text.charAt(offset);
    if (at === '') return ': it ends before all brackets are closed';
    if ('}]'.includes(at) && text.slice(0, offset).trimEnd().endsWith(',')) return ': remove the comma before it';
    return /['‘’“”`]/.test(at) ? ': quotation marks must be double: "' : (CAUSES[code] ?? '');
  };
  let found: string | undefined;
  const onError: JSONVisitor['onError'] = (error, offset, _length, line, character) => {
    found ??= `The body is not well-formed JSON at line ${line + 1}, column ${character + 1}${causeOf(printParseErrorCode(error), offset)}.`;
  };
  try {
    visit(text, { onError }, { disallowComments: true });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error; // nested too deeply
  }
  return found;
}
