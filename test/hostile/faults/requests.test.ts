import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { document } from '../../contract/openapi-document.ts';
import { withoutIds } from '../../http/support/gateway-event.ts';
import type { InjectRequest } from '../../support/gateway-server.ts';
import { startTestStage, type TestResponse, type TestStage } from '../../support/stage.ts';
import { printFigures, randomOf, scaled } from '../support/budget.ts';
import { demoRequests, liftKeyLimits } from '../support/demo-requests.ts';
import { FAULTS, type FaultProxy, openFaultProxy } from './fault-proxy.ts';

const REQUESTS = scaled(200);
const CONNECTIONS = 8;
const CHANCE = 0.15;
/** For the faults without a whole response: such a call lasts until its time limit, so fewer calls have them. */
const SILENCE_CHANCE = 0.02;
/** Twice API Gateway’s own time limit of 29 s, since requests also wait for one of few instances. */
const MAX_MS = 58_000;

/** The codes that the OpenAPI document promises if the table fails. */
const FAILURES = new Set(['STORE_BUSY', 'STORE_INCONSISTENT', 'DEADLINE_EXCEEDED']);

let stage: TestStage;
let proxy: FaultProxy;
let faulty: Pick<TestStage, 'request'>;
const requests = demoRequests(randomOf(100), REQUESTS);
const expected: TestResponse[] = [];

beforeAll(async () => {
  stage = await startTestStage({ demo: true });
  await liftKeyLimits(stage.table);
  for (const request of requests) expected.push(await stage.request(request));
  proxy = await openFaultProxy(stage.endpoint, randomOf(101));
});
afterAll(async () => {
  await stage.close();
  await proxy[Symbol.asyncDispose]();
});

describe('a service whose table fails', () => {
  test.each([...FAULTS, 'any'] as const)(
    'sends the right response or a documented error, in time (%s)',
    async (fault) => {
      proxy.plan.faults = fault === 'any' ? FAULTS : [fault];
      proxy.plan.chance = ['silence', 'stall', 'any'].includes(fault) ? SILENCE_CHANCE : CHANCE;
      faulty = stage.twin({ AWS_ENDPOINT_URL_DYNAMODB: proxy.endpoint }); // with empty caches, so that it calls the table
      const before = proxy.happened;
      const outcomes = { right: 0, failed: 0, slowestMs: 0 };
      const waiting = requests.map((request, i) => [request, expected[i]] as const);
      await Promise.all(
        Array.from({ length: CONNECTIONS }, async () => {
          for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
            const [request, right] = next;
            const startedAt = performance.now();
            const response = await faulty.request(request);
            outcomes.slowestMs = Math.max(outcomes.slowestMs, Math.round(performance.now() - startedAt));
            // the reason of an empty report is left out where it would take too long
            const bodies = [bodyOf(right), bodyOf(right, { withReason: false })];
            const isRight = response.status === right?.status && bodies.includes(bodyOf(response));
            outcomes[isRight ? 'right' : 'failed'] += 1;
            if (!isRight) expectDocumentedFailure(request, response);
          }
        }),
      );
      proxy.plan.faults = [];
      const happened = FAULTS.reduce((sum, name) => sum + proxy.happened[name] - before[name], 0);
      printFigures(`faults, ${fault}`, { ...outcomes, 'faulty calls': happened });
      expect(happened).toBeGreaterThan(0);
      expect(outcomes.right).toBeGreaterThan(REQUESTS / 2);
      expect(outcomes.slowestMs).toBeLessThan(MAX_MS);
    },
  );

  test('sends only right responses when the table works again', async () => {
    for (const [i, request] of requests.entries()) {
      const response = await faulty.request(request);
      expect([response.status, bodyOf(response)], JSON.stringify(request)).toEqual([
        expected[i]?.status,
        bodyOf(expected[i]),
      ]);
    }
  });
});

/** @returns the body without what differs between two equal requests; figures of limits are in headers */
function bodyOf(response: TestResponse | undefined, { withReason = true } = {}): string {
  const text = response?.text ?? '';
  if (/"token"|"jti"/.test(text)) return 'a token';
  if (!text.startsWith('{')) return text; // CSV, or nothing
  const body = JSON.parse(text.replace(/"requestId":"[^"]*"/, '"requestId":""'), (name, value: unknown) =>
    name === 'warnings' && Array.isArray(value) && !withReason
      ? value.filter((warning) => Object(warning).code !== 'NO_ROWS')
      : value,
  );
  return JSON.stringify(withoutIds(body));
}

function expectDocumentedFailure(request: InjectRequest, response: TestResponse): void {
  const path = Object.keys(document.paths).find((template) => matches(template, request.url));
  const [operation] = Object.values<{ responses: object }>(document.paths[path ?? '']);
  const { code } = Object(response.json());
  expect(FAILURES, `${JSON.stringify(request)} ${response.status} ${response.text}`).toContain(code);
  expect(Object.keys(operation?.responses ?? {})).toContain(String(response.status));
  expect(response.headers['content-type']).toBe('application/problem+json');
  if (response.status === 503) expect(Number(response.headers['retry-after'])).toBeGreaterThan(0);
}

function matches(template: string, url: string): boolean {
  const [path = ''] = url.split('?');
  return new RegExp(`^/v2${template.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path);
}
