import * as z from 'zod';
import { BINARY_MEDIA_TYPES } from '../../../config/service.ts';
import { type HttpResponse, matchesMediaType } from '../gateway/http-message.ts';

/** What the functions return to a proxy integration, which also accepts other forms. */
const ProxyResult = z.strictObject({
  statusCode: z.int().min(100).max(599),
  headers: z.record(z.string(), z.string()),
  body: z.string(),
  isBase64Encoded: z.boolean().default(false),
});

/**
 * @returns the response, or undefined for a malformed result
 * @param payload the function's result as JSON
 * @param accept the request's Accept header; a base64 body is decoded only if the first type in it is a binary media type
 */
export function functionResponse(payload: string, accept: string | undefined): HttpResponse | undefined {
  const read = ProxyResult.safeParse(JSON.parse(payload));
  if (!read.success) return undefined;
  const { statusCode, headers, body, isBase64Encoded } = read.data;
  const accepted = accept?.split(',')[0];
  const binary = isBase64Encoded && BINARY_MEDIA_TYPES.some((type) => matchesMediaType(accepted, type));
  return {
    status: statusCode,
    headers: new Map([
      ['Content-Type', ['application/json']], // which API Gateway adds
      ...Object.entries(headers).map(([name, value]): [string, string[]] => [sentName(name), [value]]),
    ]),
    body: Buffer.from(body, binary ? 'base64' : 'utf8'),
  };
}

/** @returns the name under which API Gateway sends the header (AWS, "Amazon API Gateway important notes") */
function sentName(name: string): string {
  return name.toLowerCase() === 'www-authenticate' ? `x-amzn-Remapped-${name}` : name;
}
