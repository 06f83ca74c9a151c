import { expect, test } from 'vitest';
import { METRIC_NAMES } from '../../../shared/catalog/metrics.ts';
import { EXPOSED_HEADERS } from '../../../shared/contract/header-names.ts';
import { reportHeaders } from '../../../shared/http/format/file-headers.ts';
import { respond } from '../../../shared/http/message/json-response.ts';
import { warnOfParameters } from '../../../shared/http/parse-input.ts';
import { NO_DEADLINE } from '../../../shared/lib/deadline.ts';

/** Together they once had 11,244 bytes: warnings of the report and those about parameters were limited one by one. The gateway adds about 500, so 9,500 are left. */
test('the headers of a file are below the 10,240 bytes that API Gateway allows, whatever the report and the request', () => {
  const warnings = METRIC_NAMES.map((field) => ({
    code: 'NOT_AT_THIS_GRAIN',
    ...{ field, fields: ['daily_date', field], detail: 'ü'.repeat(500), message: 'ü'.repeat(500) },
    ...{ dates: Array(31).fill({ from: '2026-02-01', to: '2026-02-02' }), things: [] },
    drop: ['purchased_entity_name', 'purchased_entity_id', 'conversion_source'],
  }));
  const data = {
    ...{ from: '2025-01-01', through: '2026-02-28', missingDays: Array(31).fill('2026-02-01'), missingDayCount: 100 },
    ...{ gaps: Array(100).fill({ from: '2026-02-01', through: '2026-02-02' }), gapDayCount: 200 },
    tables: (['conversions', 'activity', 'market'] as const).map((table) => ({
      ...{ table, through: '2026-02-01', missingDays: Array(31).fill('2026-02-01'), missingDayCount: 100 },
    })),
  };
  const headers = reportHeaders({
    headers: [],
    data: [],
    totalCount: Number.MAX_SAFE_INTEGER,
    totals: Object.fromEntries(METRIC_NAMES.map((name) => [name, -Math.PI * 1e-22])),
    meta: {
      page: { offset: 0, size: 100_000, hasMore: true },
      period: { startDate: '2026-02-01', endDate: '2026-02-28' },
      data,
      dataCompleteThrough: '2026-02-28',
      dataFinalThrough: null,
      dataVersion: String(Number.MAX_SAFE_INTEGER),
      dataUpdatedAt: null,
      timezone: 'America/Argentina/ComodRivadavia',
      currency: 'USD',
      attribution: { windowDays: 14, basis: 'ü'.repeat(80) },
      warnings: warnings as never,
      requestId: 'r',
    },
  });
  const names = Array.from({ length: 12 }, (_, i) => `${i}${'ü'.repeat(60)}`);
  const { headers: sent = {} } = respond(
    {
      requestId: '5dd60b6c-2a61-4d33-9b1c-8f0e6b0a2f5a',
      lambdaRequestId: 'l',
      coldStart: false,
      startedAt: 0,
      deadline: NO_DEADLINE,
      meter: { readUnits: 0 } as never,
      cors: {
        'Access-Control-Allow-Origin': `https://${'x'.repeat(60)}`,
        'Access-Control-Expose-Headers': EXPOSED_HEADERS.join(', '),
        Vary: 'Origin',
      },
      representation: { format: 'csv', bom: false, formulas: 'unchanged' } as never,
      admission: {
        headers: () => ({ 'RateLimit-Policy': 'x'.repeat(130), RateLimit: 'x'.repeat(70) }),
      } as never,
      parameterWarnings: warnOfParameters(names, []),
    },
    200,
    { body: '', contentType: 'text/csv; charset=utf-8; header=present', headers },
  );
  const bytes = Object.entries(sent).reduce(
    (sum, [name, value]) => sum + Buffer.byteLength(`${name}: ${value}\r\n`),
    0,
  );
  expect(bytes).toBeLessThan(9_500);
});
