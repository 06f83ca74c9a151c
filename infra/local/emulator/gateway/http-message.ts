export interface HttpRequest {
  readonly method: string;
  /** Path and query string, still encoded. */
  readonly target: string;
  /** In the order and case received; a name may occur more than once. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer;
  readonly sourceIp: string;
}

export interface HttpResponse {
  readonly status: number;
  /** Names in the case in which they are sent; each value becomes its own header line. */
  readonly headers: ReadonlyMap<string, readonly string[]>;
  readonly body: Buffer;
}

/** @param name in lower case @returns the value of the header; the last one if it was sent more than once */
export function headerOf(request: Pick<HttpRequest, 'headers'>, name: string): string | undefined {
  return request.headers.findLast(([sent]) => sent.toLowerCase() === name)?.[1];
}

/** @returns whether a header's media type, without its parameters, matches `pattern`, in which either part may be `*` */
export function matchesMediaType(header: string | undefined, pattern: string): boolean {
  const type = header?.split(';')[0]?.trim().toLowerCase();
  if (type === undefined) return false;
  const parts = type.split('/');
  const wanted = pattern.toLowerCase().split('/');
  return parts.length === 2 && wanted.every((part, index) => part === '*' || part === parts[index]);
}
