/** One request, as the log shows it. There is nothing in it that must not be read: no key, token, query string or personal datum. */
export interface RequestLine {
  readonly requestId: string;
  /** Method and path template: `GET /metadata/contacts`. */
  readonly route: string;
  readonly status: number;
  /** Code of the problem that was answered. */
  readonly code?: string | undefined;
  readonly latencyMs: number;
  readonly readUnits: number;
  readonly writeUnits: number;
  readonly storeCalls: number;
  readonly userId?: string | undefined;
}

/** Writes one JSON line about a request that was answered. */
export function logRequest(line: RequestLine): void {
  writeLine(line.status >= 500 ? 'ERROR' : 'INFO', 'request', { ...line });
}

/** Writes one JSON line with the whole of an error that was not expected: message, stack and what caused it. */
export function logError(requestId: string, error: unknown): void {
  writeLine('ERROR', 'unexpected error', { requestId, error: describeError(error, 5) });
}

/** To stdout as it stands: through console the platform would wrap the line in another object, and quote it. */
function writeLine(level: 'INFO' | 'ERROR', message: string, members: Readonly<Record<string, unknown>>): void {
  process.stdout.write(`${JSON.stringify({ timestamp: new Date().toISOString(), level, message, ...members })}\n`);
}

function describeError(error: unknown, depth: number): unknown {
  if (!(error instanceof Error)) return { message: String(error) };
  const { name, message, stack, cause } = error;
  return {
    name,
    message,
    stack,
    ...(cause === undefined || depth === 0 ? {} : { cause: describeError(cause, depth - 1) }),
  };
}
