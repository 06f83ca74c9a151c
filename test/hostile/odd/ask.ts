import { reportRequest, type TestResponse } from '../../http/support/gateway-event.ts';
import type { Instance } from '../../http/support/test-service.ts';
import { GOOD_REPORT } from '../../support/report-request.ts';

export type Row = Readonly<Record<string, string | number | null>>;

/** What a report returns. */
export interface Report {
  readonly data: readonly Row[];
  readonly totals: Row;
  readonly totalCount: number;
}

/** Sends a report request as the user, and expects status 200. */
export async function askReport(instance: Instance, userId: string, body: object, experience = 'pla'): Promise<Report> {
  return Object(ok(await sendReport(instance, userId, body, experience)).body);
}

export function sendReport(
  instance: Instance,
  userId: string,
  body: object,
  experience = 'pla',
): Promise<TestResponse> {
  const all = { pagination: { offset: 0, size: 10_000 }, dimensions: [], metrics: ['impressions'] };
  const text = JSON.stringify({ ...GOOD_REPORT, ...all, ...body });
  const headers = [
    ['Content-Type', 'application/json'],
    ['Accept', '*/*'],
    ['Accept-Encoding', 'gzip'],
  ] as const;
  return instance.send('submit-report', { ...reportRequest(text, { key: `key-${userId}`, experience }), headers });
}

/** @throws Error with the response unless its status is 200 */
export function ok(response: TestResponse): TestResponse {
  if (response.status !== 200) throw new Error(`${response.status} ${response.text.slice(0, 500)}`);
  return response;
}
