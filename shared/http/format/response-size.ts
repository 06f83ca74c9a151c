/** Maximum size of a response body, in bytes. Lambda's limit is 6 MB, which also covers the headers. */
export const MAX_RESPONSE_BYTES = 5_500_000;

/** Share of the limit that a suggested page size leaves unused, because rows differ, and compress differently. */
const MARGIN = 0.1;

/** @returns the size of a body as Lambda counts it: bytes in base64, and a text as a JSON string, in which some characters are escaped */
export function sizeInResponse(body: string | Buffer): number {
  return typeof body === 'string' ? Buffer.byteLength(JSON.stringify(body)) - 2 : Math.ceil(body.length / 3) * 4;
}

/** @returns the page size to suggest if a page of `rows` rows has too many bytes; at least 1, because 1 is the smallest page size */
export function fittingSize(rows: number, bytes: number): number {
  return Math.max(1, Math.floor((rows * MAX_RESPONSE_BYTES * (1 - MARGIN)) / bytes));
}
