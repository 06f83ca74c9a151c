import * as z from 'zod';
import { BINARY_MEDIA_TYPES } from '../../config/service.ts';
import { type HttpResponse, matchesMediaType } from '../gateway/http-message.ts';

/** Headers that API Gateway renames to `x-amzn-Remapped-…` if a function returns them (AWS, "Amazon API Gateway important notes"). */
const REMAPPED: ReadonlySet<string> = new Set([
  'authorization',
  'connection',
  'content-length',
  'content-md5',
  'date',
  'expect',
  'host',
  'max-forwards',
  'proxy-authenticate',
  'server',
  'trailer',
  'upgrade',
  'user-agent',
  'www-authenticate',
]);
/** API Gateway drops this header (same source). */
const DROPPED = 'transfer-encoding';

const HeaderValue = z.union([z.string(), z.boolean().transform(String)]);

/** The result of a function behind a proxy integration. Anything else is malformed and becomes a 502. */
const ProxyResult = z.strictObject({
  statusCode: z.coerce.number().int().min(100).max(599).nullish(),
  headers: z.record(z.string(), HeaderValue).nullish(),
  multiValueHeaders: z.record(z.string(), z.array(HeaderValue)).nullish(),
  body: z.string().nullish(),
  isBase64Encoded: z.boolean().nullish(),
});

/**
 * @returns the response, or undefined for a malformed result
 * @param payload the function's result as JSON
 * @param accept the request's Accept header; a base64 body is decoded only if the first type in it is a binary media type
 */
export function functionResponse(payload: string, accept: string | undefined): HttpResponse | undefined {
  const read = ProxyResult.safeParse(JSON.parse(payload));
  if (!read.success) return undefined;
  const { statusCode, headers, multiValueHeaders, body, isBase64Encoded } = read.data;
  const merged = new Map<string, { name: string; values: string[] }>();
  const single = Object.entries(headers ?? {}).map(([name, value]) => [name, [value]] as const);
  for (const [name, values] of [...single, ...Object.entries(multiValueHeaders ?? {})]) {
    const key = name.toLowerCase();
    if (key === DROPPED) continue;
    const sent = REMAPPED.has(key) ? `x-amzn-Remapped-${name}` : name;
    const found = merged.get(key);
    const more = values.filter((value) => found?.values.includes(value) !== true);
    merged.set(key, { name: sent, values: [...(found?.values ?? []), ...more] });
  }
  if (!merged.has('content-type')) merged.set('content-type', { name: 'Content-Type', values: ['application/json'] });
  const accepted = accept?.split(',')[0];
  const binary = isBase64Encoded === true && BINARY_MEDIA_TYPES.some((type) => matchesMediaType(accepted, type));
  return {
    status: statusCode ?? 200,
    headers: new Map([...merged.values()].map(({ name, values }) => [name, values])),
    body: Buffer.from(body ?? '', binary ? 'base64' : 'utf8'),
  };
}
