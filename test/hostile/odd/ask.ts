import { listKeys, setKey } from '../../../shared/identity/api-keys.ts';
import { reportRequest, type TestResponse } from '../../http/support/gateway-event.ts';
import type { Instance, TestService } from '../../http/support/test-service.ts';
import { GOOD_REPORT } from '../../support/report-settings.ts';
import { printFigures } from '../support/budget.ts';
import { measureCost } from '../support/cost.ts';

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

/** Sends a report request and prints what it costs. */
export async function measureReport(
  { service, instance }: { readonly service: TestService; readonly instance: Instance },
  part: string,
  userId: string,
  body: object,
) {
  const costOf = measureCost(service);
  const response = await sendReport(instance, userId, body);
  const { 'read units': units, 'write units': writeUnits, 'processor s': seconds } = costOf();
  const cost = { 'read units': units, 'write units': writeUnits, 'processor s': seconds.toFixed(2) };
  printFigures(`odd, ${part}`, { status: response.status, ...cost });
  return { status: response.status, body: Object(response.body), units, writeUnits };
}

/** Sends the report several times at once to a new instance, with a key that may run one. @returns the statuses */
export async function sendAtOnce(service: TestService, userId: string, body: object, count: number): Promise<number[]> {
  for (const { id } of await listKeys(service.table, userId))
    await setKey(service.table, userId, id, { concurrentReports: 1 });
  const instance = await service.start(); // an instance keeps keys for some seconds
  const responses = await Promise.all(Array.from({ length: count }, () => sendReport(instance, userId, body)));
  return responses.map(({ status }) => status);
}
