import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { logReportStart, logRequest, type RequestLine } from '../../shared/lib/log.ts';

let written: string[] = [];
beforeEach(() => {
  written = [];
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    written.push(String(text));
    return true;
  });
});
afterEach(() => vi.restoreAllMocks());

const LISTING: RequestLine = {
  requestId: 'r-1',
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
  expect(written[0]).toMatch(/^\{.*\}\n$/);
});

test('a report leaves a line with user and request id at its start, if its estimate is a second or more', () => {
  const start = { requestId: 'r-2', userId: 'ana', rows: 20_000_000, bytes: 300_000_000 };
  logReportStart({ ...start, seconds: 0.99 });
  expect(written).toEqual([]);
  logReportStart({ ...start, seconds: 1 });
  expect(written.map((line) => JSON.parse(line))).toEqual([
    { timestamp: expect.any(String), level: 'INFO', message: 'report started', ...start, seconds: 1 },
  ]);
});

test.each([
  ['the read units of a listing', LISTING, ['readUnits']],
  [
    'the read units and scanned rows of a report, even if it has scanned none',
    { ...LISTING, rowsScanned: 0 },
    ['readUnits', 'rowsScanned'],
  ],
])('marks %s as CloudWatch metrics, with the function as the only dimension', (_, line, names) => {
  logRequest(line);
  const { _aws, ...members } = JSON.parse(written[0] ?? '');
  expect(_aws).toEqual({
    Timestamp: expect.any(Number),
    CloudWatchMetrics: [
      { Namespace: 'Endcap', Dimensions: [['functionName']], Metrics: names.map((Name) => ({ Name })) },
    ],
  });
  for (const name of [...names, 'functionName']) expect(members).toHaveProperty(name);
});

test.each([
  [499, 'INFO'],
  [500, 'ERROR'],
])('status %i is logged as %s', (status, level) => {
  logRequest({ ...LISTING, status });
  expect(JSON.parse(written[0] ?? '').level).toBe(level);
});
