import { expect, test } from 'vitest';
import { parseLines, timesTable, usageOf } from '../../../../infra/cli/operate/measure-times.ts';

const line = (route: string, latencyMs: number) =>
  JSON.stringify({
    level: 'INFO',
    message: 'request',
    route,
    latencyMs,
    readUnits: 2,
    writeUnits: 0.5,
    coldStart: false,
  });
const LOGS = new Map([
  ['accounts', ['START', line('GET /metadata/accounts', 300), `2026-11-28 INFO ${line('GET /metadata/accounts', 20)}`]],
  ['tokens', [line('GET /jwt', 100), JSON.stringify({ message: 'report started', rows: 5 })]],
  ['ingestion', [JSON.stringify({ message: 'ingestion', latencyMs: 10_000, readUnits: 10, writeUnits: 3000 })]],
]);

test('the first time stands apart, the others have median and 99th percentile, and a route without lines has none', () => {
  const outside = new Map([
    ['GET /metadata/accounts', [812.4, ...Array.from({ length: 100 }, (_, ms) => 100 - ms)]],
    ['GET /jwks', [9]],
  ]);
  expect(timesTable(outside, parseLines(LOGS))).toEqual([
    ['Route', 'first', 'p50', 'p99', 'function: first', 'p50', 'p99'],
    ['GET /metadata/accounts', '812', '50', '99', '300', '20', '20'],
    ['GET /jwks', '9', '–', '–', '–', '–', '–'],
  ]);
});

test('the usage is that of requests and loads, with the memory of their functions', () => {
  const { logBytes, ...usage } = usageOf(LOGS);
  expect(usage).toEqual({
    requests: 4,
    gbSeconds: expect.closeTo(0.32 + 0.1 + (10 * 3008) / 1024, 6),
    readUnits: 16,
    writeUnits: 3001.5,
    signatures: 1,
  });
  expect(logBytes).toBeGreaterThan(500);
});
