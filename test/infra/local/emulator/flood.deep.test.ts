import { afterAll, beforeAll, expect, test } from 'vitest';
import * as z from 'zod';
import type { InjectRequest } from '../../../support/gateway-server.ts';
import { GOOD_REPORT } from '../../../support/report-settings.ts';
import { startTestStage, type TestStage } from '../../../support/stage.ts';

const CONNECTIONS = 40;
/** Fewer than the burst of the route's throttle, so that it rejects nothing. */
const FLOOD = 1_000;
const USER_REQUESTS = 40;

let stage: TestStage;
beforeAll(async () => {
  stage = await startTestStage({ demo: true });
});
afterAll(() => stage.close());

const keyHeader = (key: string | undefined): Readonly<Record<string, string>> =>
  key === undefined ? {} : { 'Ocp-Apim-Subscription-Key': key };

const report = (key?: string): InjectRequest => ({
  method: 'POST',
  url: '/v2/report/pla',
  headers: { 'Content-Type': 'application/json', ...keyHeader(key) },
  body: JSON.stringify(GOOD_REPORT),
});

const LogLine = z.object({ status: z.number(), storeCalls: z.number() });

/** @returns the log lines of the requests that were rejected with 401 */
function rejectedLines() {
  const lines = stage.logs().split('\n');
  const parsed = lines.flatMap((line) =>
    line.includes('"message":"request"') ? [LogLine.parse(JSON.parse(line))] : [],
  );
  return parsed.filter(({ status }) => status === 401);
}

/** 40 connections without a key used up the throttle of the report route: a user with 4 requests per second got status 429 for all 40 requests. */
test.each([
  ['without a key', undefined],
  ['with an unknown key', 'ecap_unknown'],
  ['with a mistyped key', `ecap_${'x'.repeat(49)}`],
])('during a flood %s a user gets responses, and the flood hardly reads the table', async (_, key) => {
  const before = rejectedLines().length;
  let sent = 0;
  const flooded = new Set<number>();
  const flood = Array.from({ length: CONNECTIONS }, async () => {
    while (sent < FLOOD) {
      sent += 1;
      flooded.add((await stage.request(report(key))).status);
    }
  });
  const statuses: number[] = [];
  while (sent < FLOOD || statuses.length < USER_REQUESTS) {
    statuses.push((await stage.request(report('ecap_demo_agency'))).status);
    const listing = { url: '/v2/metadata/accounts', headers: keyHeader('ecap_demo_agency') };
    statuses.push((await stage.request(listing)).status);
  }
  await Promise.all(flood);
  expect(flooded).toEqual(new Set([401]));
  expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(0.99 * statuses.length);
  await expect.poll(() => rejectedLines().length).toBe(before + FLOOD);
  const reading = rejectedLines()
    .slice(before)
    .filter(({ storeCalls }) => storeCalls > 0);
  expect(reading.length).toBeLessThan(0.02 * FLOOD);
});
