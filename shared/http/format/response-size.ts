/** Maximum size of a response body, in bytes. Lambda's limit is 6 MB, which also covers the headers. */
export const MAX_RESPONSE_BYTES = 5_500_000;

/** Maximum bytes of a UTF-16 code unit in a response. */
export const MAX_BYTES_PER_UNIT = 6;

const [SPACE, QUOTE, BACKSLASH] = [0x20, 0x22, 0x5c];
/** Control characters with an escape of two bytes: backspace, tab, line feed, form feed, carriage return. The others take six, such as `\u0001`. */
const SHORT_ESCAPES: ReadonlySet<number> = new Set([0x08, 0x09, 0x0a, 0x0c, 0x0d]);

/** @returns the size of a body as Lambda counts it: bytes in base64, and a text as a JSON string, in which some characters are escaped */
export function sizeInResponse(body: string | Buffer): number {
  if (typeof body !== 'string') return Math.ceil(body.length / 3) * 4;
  let escapes = 0;
  for (let at = 0; at < body.length; at++) {
    const unit = body.charCodeAt(at);
    if (unit === QUOTE || unit === BACKSLASH) escapes += 1;
    else if (unit < SPACE) escapes += SHORT_ESCAPES.has(unit) ? 1 : MAX_BYTES_PER_UNIT - 1;
    else if (isSurrogate(unit)) {
      if (isPair(body, at)) at++;
      else escapes += MAX_BYTES_PER_UNIT - Buffer.byteLength('\ufffd'); // which is how a lone surrogate counts in the bytes of the text
    }
  }
  return Buffer.byteLength(body) + escapes;
}

const isSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdfff;

const isPair = (text: string, at: number): boolean => (text.codePointAt(at) ?? 0) > 0xffff;
