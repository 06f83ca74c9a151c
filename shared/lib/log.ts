/** The ids that connect log lines of one request. */
export interface LogIds {
  /** API Gateway's request id, which the response and the access log have, too; clients may choose it. Absent if the function was not called through the API. */
  readonly requestId?: string;
  /** Lambda's request id, which the access log and Lambda's own lines in the function's log have, too. */
  readonly lambdaRequestId: string;
}

/** How many runs and rollups of facts a report found in the instance's cache and how many it read; the entries evicted since the last report; and the cache's megabytes. */
export interface CacheUse {
  readonly hits: number;
  readonly misses: number;
  readonly evictions: number;
  readonly mb: number;
}

/** The log line of one request. It contains no whole key, token or query string. `sourceIp` and `userId` may be personal data. */
interface RequestLine extends LogIds {
  /** Whether the request waited for a new instance to load its code. */
  readonly coldStart: boolean;
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
  /** Of reports. */
  readonly cache?: CacheUse | undefined;
  /** Of reports: memory of the process at the end, in MB, and how long the instance took to start. Lambda's own record of them is below the log level. */
  readonly rssMb?: number;
  readonly initMs?: number;
  readonly userId?: string | undefined;
  /** The first characters of the API key, if the status is 401 or 403, so that an operator can find the key whose requests are rejected. */
  readonly keyPrefix?: string | undefined;
  /** The caller's IP address, if the status is 401 or 403. */
  readonly sourceIp?: string | undefined;
  /** Name of the Lambda function, the dimension of the metrics. */
  readonly functionName: string;
}

/** The CloudWatch namespace of the metrics that the functions publish; AWS itself measures traffic, errors and latency. */
export const METRIC_NAMESPACE = 'Endcap';

/**
 * Metric definitions in CloudWatch's embedded metric format: CloudWatch extracts the named members of a log line that has a definition under `_aws`.
 * Each combination of metric and dimension values costs money every month, so dimensions are few: the function name, and the experience where it matters.
 */
const READ_METRICS = defineMetrics(['readUnits']);
const REPORT_METRICS = defineMetrics(['readUnits', 'rowsScanned']);

/**
 * 1 for a request that ended with status 500, that is, in an unexpected error. Other requests have no such member, because CloudWatch charges for a metric in
 * each hour in which it has data. Lambda's own metric `Errors` does not count these requests: the function has responded.
 */
export const INTERNAL_ERRORS_METRIC = 'internalErrors';
const FAILED_METRICS = defineMetrics(['readUnits', INTERNAL_ERRORS_METRIC]);

/** 1 if the outcome of a folder is `abandoned`, else 0. */
export const ABANDONED_METRIC = 'foldersAbandoned';
/** 1 if the outcome of a folder is `rejected`, else 0. */
export const REJECTED_METRIC = 'foldersRejected';
const INGESTION_METRICS = defineMetrics([ABANDONED_METRIC, REJECTED_METRIC]);

/** Writes one JSON line about a request, with its metrics for CloudWatch. */
export function logRequest(line: RequestLine): void {
  if (line.status === 500) {
    writeLine('ERROR', 'request', { ...line, [INTERNAL_ERRORS_METRIC]: 1, ...embedMetrics(FAILED_METRICS) });
    return;
  }
  const metrics = line.rowsScanned === undefined ? READ_METRICS : REPORT_METRICS;
  writeLine(levelOf(line.status), 'request', { ...line, ...embedMetrics(metrics) });
}

function levelOf(status: number): LogLevel {
  if (status >= 500) return 'ERROR';
  return status >= 400 ? 'WARN' : 'INFO';
}

/** What a report is about to do. */
interface ReportStartLine extends LogIds {
  readonly userId: string;
  /** The estimate, which the cost guard has accepted. */
  readonly rows: number;
  readonly bytes: number;
  readonly seconds: number;
  /** An upper bound of the number of groups of the result. */
  readonly groups: number;
}

/** Cheaper reports are logged only once they take as long: a line per report would cost more than it is worth. */
const MIN_LOGGED_SECONDS = 1;

/**
 * Writes one JSON line about a report: before it is computed if it is expected to take much time, else once it has. A function that is killed meanwhile leaves
 * this trace.
 * @returns a function to call when the report ends
 */
export function logReportStart(line: ReportStartLine): () => void {
  const write = () => writeLine('INFO', 'report started', { ...line });
  const isLong = line.seconds >= MIN_LOGGED_SECONDS;
  if (isLong) write();
  const timer = isLong ? undefined : setTimeout(write, MIN_LOGGED_SECONDS * 1_000);
  return () => clearTimeout(timer);
}

/** The log line of one folder that was uploaded to the bucket. */
interface IngestionLine extends LogIds {
  readonly coldStart: boolean;
  /** The prefix of the folder's keys. */
  readonly prefix: string;
  readonly outcome: string;
  readonly latencyMs: number;
  readonly readUnits: number;
  readonly writeUnits: number;
  readonly storeCalls: number;
  /** Name of the Lambda function, the dimension of the metrics. */
  readonly functionName: string;
}

/** Writes one JSON line about a processed folder, with its metrics for CloudWatch. */
export function logIngestion(line: IngestionLine): void {
  const { outcome } = line;
  const metrics = {
    [ABANDONED_METRIC]: outcome === 'abandoned' ? 1 : 0,
    [REJECTED_METRIC]: outcome === 'rejected' ? 1 : 0,
  };
  const level = outcome === 'abandoned' ? 'ERROR' : outcome === 'rejected' ? 'WARN' : 'INFO';
  writeLine(level, 'ingestion', { ...line, ...metrics, ...embedMetrics(INGESTION_METRICS) });
}

/** The log line of a change that is also in the audit; the ids are absent if a command makes the change. */
export interface ChangeLine extends Partial<LogIds> {
  /** Who made the change. */
  readonly actor: string;
  readonly action: string;
  readonly subject: string;
  readonly details: Readonly<Record<string, unknown>>;
}

/** Writes one JSON line about a change. @param out stderr for a command, whose stdout has its result */
export function logChange(line: ChangeLine, out: NodeJS.WritableStream = process.stdout): void {
  writeLine('INFO', 'change', { ...line }, out);
}

/** Hours since the end of an experience's latest day with delivery. */
export const DELIVERY_AGE_METRIC = 'hoursSinceDelivery';

/** The log line of one measurement of an experience. */
interface FreshnessLine extends LogIds {
  readonly experience: string;
  /** The fact table whose latest day is the earliest. */
  readonly table: string;
  /** That day, `YYYY-MM-DD`. */
  readonly latestDay: string;
  readonly [DELIVERY_AGE_METRIC]: number;
  /** Name of the Lambda function, with the experience the dimensions of the metric. */
  readonly functionName: string;
}

const FRESHNESS_METRICS = defineMetrics([DELIVERY_AGE_METRIC], ['functionName', 'experience']);

/** Writes one JSON line about an experience, with its metric for CloudWatch. */
export function logFreshness(line: FreshnessLine): void {
  writeLine('INFO', 'freshness', { ...line, ...embedMetrics(FRESHNESS_METRICS) });
}

/** Writes one JSON line with an unexpected error: its message, its stack and its causes. */
export function logError({ requestId, lambdaRequestId }: LogIds, error: unknown): void {
  writeLine('ERROR', 'unexpected error', { requestId, lambdaRequestId, error: describeError(error) });
}

type LogLevel = 'INFO' | 'WARN' | 'ERROR';
/** In ascending order. */
const LOG_LEVELS: readonly (string | undefined)[] = ['INFO', 'WARN', 'ERROR'] satisfies LogLevel[];

/**
 * Writes to stdout directly: Lambda would wrap a line from `console` in another object, as a quoted string. Lambda itself drops lines below the function's log
 * level; applying it here saves writing them, and is the same on the local stage.
 */
function writeLine(
  level: LogLevel,
  message: string,
  members: Readonly<Record<string, unknown>>,
  out: NodeJS.WritableStream = process.stdout,
): void {
  const lowest = LOG_LEVELS.indexOf(process.env.AWS_LAMBDA_LOG_LEVEL);
  if (LOG_LEVELS.indexOf(level) < lowest) return;
  out.write(`${JSON.stringify({ timestamp: new Date().toISOString(), level, message, ...members })}\n`);
}

/** @returns the member of a log line that defines its metrics */
function embedMetrics(CloudWatchMetrics: readonly object[]): object {
  return { _aws: { Timestamp: Date.now(), CloudWatchMetrics } };
}

function defineMetrics(names: readonly string[], dimensions: readonly string[] = ['functionName']) {
  return [{ Namespace: METRIC_NAMESPACE, Dimensions: [dimensions], Metrics: names.map((Name) => ({ Name })) }] as const;
}

function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return { message: String(error) };
  const { name, message, stack, cause } = error;
  return {
    name,
    message,
    stack,
    ...(cause === undefined ? {} : { cause: describeError(cause) }),
  };
}
