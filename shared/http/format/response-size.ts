/** Maximum size of a response body, in bytes. Lambda's limit is 6 MB, which also covers the headers. */
export const MAX_RESPONSE_BYTES = 5_500_000;

const [QUOTE, BACKSLASH, TAB, LF, CR] = [0x22, 0x5c, 0x09, 0x0a, 0x0d];

/**
 * @returns the size of a body as Lambda counts it: bytes in base64, and a text as a JSON string, in which quotation marks, backslashes and line ends take two
 * bytes. Other control characters take six, but are too rare to count.
 */
export function sizeInResponse(body: string | Buffer): number {
  if (typeof body !== 'string') return Math.ceil(body.length / 3) * 4;
  let escaped = 0;
  for (let at = 0; at < body.length; at++) {
    const unit = body.charCodeAt(at);
    if (unit === QUOTE || unit === BACKSLASH || unit === TAB || unit === LF || unit === CR) escaped++;
  }
  return Buffer.byteLength(body) + escaped;
}
