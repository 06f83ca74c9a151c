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
  /** Fact rows that a report looked at; undefined where there was no report. */
  readonly rowsScanned?: number | undefined;
  readonly userId?: string | undefined;
  /** The Lambda function: what the figures are kept by. */
  readonly functionName: string;
}

/** The CloudWatch namespace of the figures that only the functions know; traffic, errors and latency are measured by AWS itself. */
export const METRIC_NAMESPACE = 'Endcap';

/**
 * CloudWatch's embedded metric format: from a line that bears one of these under `_aws`, CloudWatch makes figures of the members named.
 * The function is the only dimension: each pair of a figure and a dimension's value is paid for by the month, so a user or an advertiser is none.
 */
const READ_FIGURES = figures('readUnits');
const REPORT_FIGURES = figures('readUnits', 'rowsScanned');

/** 1 where a folder is given up for good because it is too large, else 0. */
export const ABANDONED_FIGURE = 'foldersAbandoned';
const INGESTION_FIGURES = figures(ABANDONED_FIGURE);

/** Writes one JSON line about a request that was answered, its figures marked for CloudWatch. */
export function logRequest(line: RequestLine): void {
  const CloudWatchMetrics = line.rowsScanned === undefined ? READ_FIGURES : REPORT_FIGURES;
  writeLine(line.status >= 500 ? 'ERROR' : 'INFO', 'request', { ...line, ...marked(CloudWatchMetrics) });
}

/** One folder that was dropped into the bucket, as the log shows it. */
export interface IngestionLine {
  readonly requestId: string;
  /** What the folder's keys begin with. */
  readonly prefix: string;
  readonly outcome: string;
  readonly latencyMs: number;
  readonly readUnits: number;
  readonly writeUnits: number;
  readonly storeCalls: number;
  /** What the figure is kept by. */
  readonly functionName: string;
}

/** Writes one JSON line about a folder that was dealt with, its figure marked for CloudWatch. */
export function logIngestion(line: IngestionLine): void {
  const abandoned = line.outcome === 'abandoned';
  const figure = { [ABANDONED_FIGURE]: abandoned ? 1 : 0 };
  writeLine(abandoned ? 'ERROR' : 'INFO', 'ingestion', { ...line, ...figure, ...marked(INGESTION_FIGURES) });
}

/** Writes one JSON line with the whole of an error that was not expected: message, stack and what caused it. */
export function logError(requestId: string, error: unknown): void {
  writeLine('ERROR', 'unexpected error', { requestId, error: describeError(error, 5) });
}

/** To stdout as it stands: through console the platform would wrap the line in another object, and quote it. */
function writeLine(level: 'INFO' | 'ERROR', message: string, members: Readonly<Record<string, unknown>>): void {
  process.stdout.write(`${JSON.stringify({ timestamp: new Date().toISOString(), level, message, ...members })}\n`);
}

/** @returns the member by which CloudWatch knows the figures of a line */
function marked(CloudWatchMetrics: ReturnType<typeof figures>): object {
  return { _aws: { Timestamp: Date.now(), CloudWatchMetrics } };
}

function figures(...names: readonly (keyof RequestLine | typeof ABANDONED_FIGURE)[]) {
  return [
    { Namespace: METRIC_NAMESPACE, Dimensions: [['functionName']], Metrics: names.map((Name) => ({ Name })) },
  ] as const;
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
