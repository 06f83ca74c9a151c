import { expect, test, vi } from 'vitest';
import { shortenLog } from '../../../infra/local/shorten-log.ts';
import { logRequest } from '../../../shared/lib/log.ts';

/** What the functions write for the request. */
function written(line: Partial<Parameters<typeof logRequest>[0]>): string {
  const output: string[] = [];
  const write = vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    output.push(String(text));
    return true;
  });
  const ids = { requestId: 'a', lambdaRequestId: 'b', functionName: 'list-accounts', coldStart: false };
  const sums = { latencyMs: 12.4, readUnits: 2.5, writeUnits: 0, storeCalls: 3 };
  logRequest({ ...ids, ...sums, route: 'GET /metadata/accounts', status: 200, ...line });
  write.mockRestore();
  return output.join('');
}

test('a line of a request becomes a short one, and other lines stay as they are', () => {
  vi.useFakeTimers({ now: Date.parse('2026-03-02T14:03:12.345Z') });
  const requests = written({ userId: 'demo-cpg' }) + written({ status: 401, code: 'INVALID_API_KEY' });
  vi.useRealTimers();
  const others = '{"message":"unexpected error","error":{}}\n{ not JSON }\nan engine wrote this\n';
  expect(shortenLog(others + requests)).toBe(
    `${others}14:03:12 200 GET /metadata/accounts demo-cpg 12 ms 2.5 read units\n14:03:12 401 INVALID_API_KEY GET /metadata/accounts 12 ms 2.5 read units\n`,
  );
});
