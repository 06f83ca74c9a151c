import { expect, test } from 'vitest';
import { parseLines, timesTable, usageOf } from '../../../../infra/cli/operate/measure-times.ts';
import { priceUsage, type Usage } from '../../../../infra/cli/operate/price-usage.ts';

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

const NOTHING: Usage = { requests: 0, gbSeconds: 0, readUnits: 0, writeUnits: 0, signatures: 0, logBytes: 0, hours: 0 };

/** The prices are those of the tables of costs in infra/README.md. */
test.each([
  ['a million requests: gateway, firewall and invocations', { requests: 1e6 }, 4.3],
  ['the functions of a million listings of 0.01 GB-seconds', { gbSeconds: 1e4 }, 0.133334],
  ['a million reports from facts with 185 read units', { readUnits: 185e6 }, 23.125],
  ['a million write units', { writeUnits: 1e6 }, 0.625],
  ['a million tokens', { signatures: 1e6 }, 15],
  ['two GiB of logs', { logBytes: 2 ** 31 }, 1],
  ['a month of firewall, dashboard, alarms and three keys', { hours: 730 }, 25.4],
  ['two of them', { hours: 73, writeUnits: 4e6 }, 5.04],
])('the price of %s', (_, used, usd) => {
  expect(priceUsage({ ...NOTHING, ...used }).usd).toBeCloseTo(usd, 6);
});

test('the table has the amount and the price of each unit', () => {
  expect(priceUsage({ ...NOTHING, requests: 1234, gbSeconds: 75.25 }).table).toEqual([
    ['Unit', 'Amount', 'USD'],
    ['requests', '1234.0', '0.0053'],
    ['gbSeconds', '75.3', '0.0010'],
    ...['readUnits', 'writeUnits', 'signatures', 'logBytes', 'hours'].map((unit) => [unit, '0.0', '0.0000']),
  ]);
});
