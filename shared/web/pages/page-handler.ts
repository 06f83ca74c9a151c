import type { APIGatewayProxyEvent } from 'aws-lambda';
import { openChain, toHandler } from '../../http/chain/open-chain.ts';
import { acceptedCoding, acceptsBinary } from '../../http/format/content-coding.ts';
import { type ApiHandler, headerValues, type RequestState } from '../../http/message/api-request.ts';
import { SECURITY_HEADERS } from '../../http/message/json-response.ts';
import { ApiError } from '../../lib/errors.ts';
import type { PageFile } from './page-files.ts';

/**
 * The pages load nothing from other servers, send nothing to them, and run no code or style that is written into a page or attribute. `data:` and `blob:`
 * are for images only: icons in the documentation's styles, and the chart that the explorer saves as PNG.
 */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const HEADERS = {
  'Content-Security-Policy': CONTENT_SECURITY_POLICY,
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=()',
  'Referrer-Policy': 'no-referrer',
  ...SECURITY_HEADERS,
};

/** A file may be cached for ever, because its name contains a hash of its content. A page names its files, so it must be requested again. */
const CACHING = { hashed: 'public, max-age=31536000, immutable', page: 'no-cache' };

/**
 * @returns the Lambda handler that serves files without a key
 * @param fileOf returns the file of a path, such as `/explorer` or `/docs/page-1A2B3C4D.js`, at an origin such as `https://api.example.com`; undefined if there is none
 */
export function servePages(fileOf: (path: string, origin: string) => PageFile | undefined): ApiHandler {
  const chain = openChain('GET').handler(async (event, { state }) => {
    const { resource, pathParameters } = event;
    const path = resource.replace('{file}', pathParameters?.file ?? '');
    const [host = ''] = headerValues(event, 'host');
    const [scheme = 'https'] = headerValues(event, 'x-forwarded-proto');
    const found = fileOf(path, host === '' ? '' : `${scheme}://${host}`);
    if (found === undefined) throw new ApiError('NOT_FOUND', 'There is no such page or file.');
    return respondWith(found, event, state);
  });
  return toHandler(chain);
}

/**
 * Clients that prefer brotli get brotli: files are compressed when the function is bundled, pages on their first request. For others that accept gzip,
 * API Gateway compresses.
 */
function respondWith(
  { type, plain, brotli, hashed }: PageFile,
  event: APIGatewayProxyEvent,
  { requestId }: RequestState,
) {
  const headerOf = (name: string) => headerValues(event, name);
  const isCompressed = acceptedCoding(headerOf) === 'br';
  const body = isCompressed ? brotli() : plain();
  const isBinary = acceptsBinary(headerOf('accept'));
  return {
    statusCode: 200,
    headers: {
      ...HEADERS,
      'Content-Type': type,
      'Cache-Control': hashed ? CACHING.hashed : CACHING.page,
      Vary: 'Accept-Encoding',
      'x-request-id': requestId,
      ...(isCompressed ? { 'Content-Encoding': 'br' } : {}),
    },
    body: body.toString(isBinary ? 'base64' : 'utf8'),
    isBase64Encoded: isBinary,
  };
}
