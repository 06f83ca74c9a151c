/** A request as it came over the wire. */
export interface HttpRequest {
  readonly method: string;
  /** Path and query string, as sent. */
  readonly target: string;
  /** In the order and case sent; a name may come several times. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer;
  readonly sourceIp: string;
}

/** @returns the value of a header, the last one where it was sent several times. */
export function headerOf(request: Pick<HttpRequest, 'headers'>, name: string): string | undefined {
  return request.headers.findLast(([sent]) => sent.toLowerCase() === name)?.[1];
}
