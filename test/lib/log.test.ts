import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { logError, logIngestion, logReportStart, logRequest } from '../../shared/lib/log.ts';

let written: string[] = [];
beforeEach(() => {
  written = [];
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    written.push(String(text));
    return true;
  });
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  vi.useRealTimers();
});

const LISTING = {
  requestId: 'r-1',
  lambdaRequestId: 'l-1',
  coldStart: false,
  route: 'GET /metadata/accounts',
  status: 200,
  latencyMs: 4.2,
  readUnits: 1.5,
  writeUnits: 0,
  storeCalls: 2,
  userId: 'ana',
  functionName: 'Endcap-ListAccounts',
};

test('a request is logged as one line of JSON', () => {
  logRequest(LISTING);
  expect(written).toHaveLength(1);
  expect(written[0]).toMatch(/^[^\n]*\n$/);
  expect(JSON.parse(written[0] ?? '')).toMatchObject({ message: 'request', ...LISTING });
});

test('a report that may take a second is logged at its start, with user and request id, because the function may be killed', () => {
  const ids = { requestId: 'r-2', lambdaRequestId: 'l-2', userId: 'ana' };
  const start = { ...ids, rows: 20_000_000, bytes: 300_000_000, groups: 900_000 };
  logReportStart({ ...start, seconds: 0.99 })();
  expect(written).toEqual([]);
  logReportStart({ ...start, seconds: 1 });
  const line = { timestamp: expect.any(String), level: 'INFO', message: 'report started', ...start };
  expect(written.map((text) => JSON.parse(text))).toEqual([{ ...line, seconds: 1 }]);
});

/** A report that took 31 s and ended the function was estimated at 0.03 s, and so had no line at all. */
test('a report that takes longer than expected is logged after a second, unless it has ended', () => {
  vi.useFakeTimers();
  const ids = { requestId: 'r-3', lambdaRequestId: 'l-3', userId: 'ana' };
  const line = { ...ids, rows: 1, bytes: 1, groups: 1, seconds: 0.03 };
  const end = logReportStart(line);
  logReportStart(line)();
  vi.advanceTimersByTime(999);
  expect(written).toEqual([]);
  vi.advanceTimersByTime(1_000);
  end();
  expect(written.map((text) => JSON.parse(text))).toMatchObject([{ message: 'report started', ...line }]);
});

test.each([
  ['the read units of a listing', LISTING, ['readUnits']],
  [
    'the read units and scanned rows of a report, even if it has scanned none',
    { ...LISTING, rowsScanned: 0 },
    ['readUnits', 'rowsScanned'],
  ],
  [
    'a request that ended in an unexpected error, which Lambda does not count,',
    { ...LISTING, status: 500 },
    ['readUnits', 'internalErrors'],
  ],
  ['a request that ended in an expected error, which is no metric,', { ...LISTING, status: 503 }, ['readUnits']],
])(
  'the log line of %s declares its metrics for CloudWatch, with the function as the only dimension',
  (_, line, names) => {
    logRequest(line);
    const { _aws, ...members } = JSON.parse(written[0] ?? '');
    expect(_aws).toEqual({
      Timestamp: expect.any(Number),
      CloudWatchMetrics: [
        { Namespace: 'Endcap', Dimensions: [['functionName']], Metrics: names.map((Name) => ({ Name })) },
      ],
    });
    for (const name of [...names, 'functionName']) expect(members).toHaveProperty(name);
  },
);

test.each([
  [399, 'INFO'],
  [400, 'WARN'],
  [499, 'WARN'],
  [500, 'ERROR'],
])('status %i is logged as %s', (status, level) => {
  logRequest({ ...LISTING, status });
  expect(JSON.parse(written[0] ?? '').level).toBe(level);
});

test.each([
  ['INFO', [200, 404, 503]],
  ['WARN', [404, 503]],
  ['ERROR', [503]],
])('the log level %s writes the requests with status %j of 200, 404 and 503', (level, expected) => {
  vi.stubEnv('AWS_LAMBDA_LOG_LEVEL', level);
  for (const status of [200, 404, 503]) logRequest({ ...LISTING, status });
  expect(written.map((line) => JSON.parse(line).status)).toEqual(expected);
});

test('an unexpected error is logged with the ids of API Gateway and Lambda, and nothing else of the request', () => {
  logError(LISTING, new Error('broken'));
  const { error, timestamp, ...rest } = JSON.parse(written[0] ?? '');
  expect(rest).toEqual({ level: 'ERROR', message: 'unexpected error', requestId: 'r-1', lambdaRequestId: 'l-1' });
  expect([error.message, timestamp]).toEqual(['broken', expect.stringMatching(/Z$/)]);
});

test.each([
  ['loaded', 'INFO', 0, 0],
  ['rejected', 'WARN', 0, 1],
  ['abandoned', 'ERROR', 1, 0],
])('a folder that was %s is logged as %s, and counted for its alarm', (outcome, level, abandoned, rejected) => {
  const ids = { lambdaRequestId: 'l-1', coldStart: true, functionName: 'Endcap-IngestFolder' };
  logIngestion({ ...ids, prefix: 'f/', outcome, latencyMs: 1, readUnits: 0, writeUnits: 0, storeCalls: 0 });
  const { _aws, ...line } = JSON.parse(written[0] ?? '');
  expect(line).toMatchObject({ ...ids, level, foldersAbandoned: abandoned, foldersRejected: rejected });
  expect(_aws.CloudWatchMetrics[0].Metrics).toEqual([{ Name: 'foldersAbandoned' }, { Name: 'foldersRejected' }]);
});
