/** The log line of one request. It contains nothing confidential: no key, token, query string or personal data. */
export interface RequestLine {
  readonly requestId: string;
  /** Method and path template, such as `GET /metadata/contacts`. */
  readonly route: string;
  readonly status: number;
  /** Error code of the response; undefined if it was successful. */
  readonly code?: string | undefined;
  readonly latencyMs: number;
  readonly readUnits: number;
  readonly writeUnits: number;
  readonly storeCalls: number;
  /** Number of fact rows that the report scanned; undefined for other requests. */
  readonly rowsScanned?: number | undefined;
  /** The instance's speed in reports before this one: 2 = scans took twice the estimated time. Undefined for other requests. */
  readonly costFactor?: number | undefined;
  readonly userId?: string | undefined;
  /** Name of the Lambda function, the dimension of the metrics. */
  readonly functionName: string;
}

/** The CloudWatch namespace of the metrics that the functions publish; AWS itself measures traffic, errors and latency. */
export const METRIC_NAMESPACE = 'Endcap';

/**
 * Metric definitions in CloudWatch's embedded metric format: CloudWatch extracts the named members of a log line that has a definition under `_aws`.
 * The function name is the only dimension, because each combination of metric and dimension value costs money every month.
 */
const READ_METRICS = defineMetrics('readUnits');
const REPORT_METRICS = defineMetrics('readUnits', 'rowsScanned');

/** 1 if a folder was abandoned because it is too large, else 0. */
export const ABANDONED_METRIC = 'foldersAbandoned';
const INGESTION_METRICS = defineMetrics(ABANDONED_METRIC);

/** Writes one JSON line about a request, with its metrics for CloudWatch. */
export function logRequest(line: RequestLine): void {
  const metrics = line.rowsScanned === undefined ? READ_METRICS : REPORT_METRICS;
  writeLine(line.status >= 500 ? 'ERROR' : 'INFO', 'request', { ...line, ...embedMetrics(metrics) });
}

/** What a report is about to do. */
export interface ReportStartLine {
  readonly requestId: string;
  readonly userId: string;
  /** The estimate, which the cost guard has accepted. */
  readonly rows: number;
  readonly bytes: number;
  readonly seconds: number;
}

/** Cheaper reports are not logged at their start: a line per report would cost more than it is worth. */
const MIN_LOGGED_SECONDS = 1;

/** Writes one JSON line before an expensive report is computed, so that a function that is killed meanwhile leaves a trace. */
export function logReportStart(line: ReportStartLine): void {
  if (line.seconds >= MIN_LOGGED_SECONDS) writeLine('INFO', 'report started', { ...line });
}

/** The log line of one folder that was uploaded to the bucket. */
export interface IngestionLine {
  readonly requestId: string;
  /** The prefix of the folder's keys. */
  readonly prefix: string;
  readonly outcome: string;
  readonly latencyMs: number;
  readonly readUnits: number;
  readonly writeUnits: number;
  readonly storeCalls: number;
  /** Name of the Lambda function, the dimension of the metric. */
  readonly functionName: string;
}

/** Writes one JSON line about a processed folder, with its metric for CloudWatch. */
export function logIngestion(line: IngestionLine): void {
  const abandoned = line.outcome === 'abandoned';
  const metric = { [ABANDONED_METRIC]: abandoned ? 1 : 0 };
  writeLine(abandoned ? 'ERROR' : 'INFO', 'ingestion', { ...line, ...metric, ...embedMetrics(INGESTION_METRICS) });
}

/** Writes one JSON line with an unexpected error: its message, its stack and its causes. */
export function logError(requestId: string, error: unknown): void {
  writeLine('ERROR', 'unexpected error', { requestId, error: describeError(error, 5) });
}

/** Writes to stdout directly: Lambda would wrap a line from `console` in another object, as a quoted string. */
function writeLine(level: 'INFO' | 'ERROR', message: string, members: Readonly<Record<string, unknown>>): void {
  process.stdout.write(`${JSON.stringify({ timestamp: new Date().toISOString(), level, message, ...members })}\n`);
}

/** @returns the member of a log line that defines its metrics */
function embedMetrics(CloudWatchMetrics: ReturnType<typeof defineMetrics>): object {
  return { _aws: { Timestamp: Date.now(), CloudWatchMetrics } };
}

function defineMetrics(...names: readonly (keyof RequestLine | typeof ABANDONED_METRIC)[]) {
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
