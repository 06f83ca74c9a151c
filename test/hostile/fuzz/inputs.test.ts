import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DIMENSION_NAMES } from '../../../shared/catalog/dimensions.ts';
import { METRIC_NAMES } from '../../../shared/catalog/metrics.ts';
import { OPERATOR_NAMES } from '../../../shared/catalog/operators.ts';
import { reportRequest } from '../../http/support/gateway-event.ts';
import { type Instance, openTestService, type TestService } from '../../http/support/test-service.ts';
import { GOOD_REPORT } from '../../support/report-settings.ts';
import { printFigures, SEED, scaled } from '../support/budget.ts';
import { measureCost } from '../support/cost.ts';

const RUNS = scaled(400);
const options = { seed: SEED, numRuns: RUNS };

const BASE64URL = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

let service: TestService;
let instance: Instance;
let costOf: ReturnType<typeof measureCost>;
beforeAll(async () => {
  service = await openTestService();
  instance = await service.start();
  costOf = measureCost(service);
});
afterAll(async () => {
  printFigures('fuzz, inputs', { 'runs of each': RUNS, ...costOf() });
  await service.close();
});

const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom(
    '%',
    '%%',
    '',
    ' ',
    '-0',
    '1e999',
    '0x10',
    'Infinity',
    '9007199254740993',
    '\u0000',
    '\ud800',
    '2026-02-30',
    '٣',
  ),
);
const field = fc.oneof(
  { weight: 9, arbitrary: fc.constantFrom(...DIMENSION_NAMES, ...METRIC_NAMES) },
  { weight: 1, arbitrary: text },
);
const filter = fc.record({
  field,
  operator: fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...OPERATOR_NAMES) }, { weight: 1, arbitrary: text }),
  values: fc.array(text, { maxLength: 4 }),
});
const date = fc.oneof(
  fc
    .date({ min: new Date('2025-06-01'), max: new Date('2026-12-31'), noInvalidDate: true })
    .map((day) => day.toISOString().slice(0, 10)),
  fc.constantFrom(
    '2024-02-29',
    '2026-02-29',
    '2026-2-1',
    '2026-02-01T00:00:00Z',
    '0000-00-00',
    '9999-12-31',
    '+12026-01-01',
    '',
  ),
  text,
);

describe('whatever a report request holds', () => {
  // `send` checks every response against the OpenAPI document, which demands that a 4xx names what is wrong
  const statusOf = async (body: object) =>
    (await instance.send('submit-report', reportRequest(JSON.stringify(body)))).status;

  test('in its filters, the response is a report or names what is wrong', async () => {
    const filters = fc.array(filter, { maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(filters, fc.constantFrom(...DIMENSION_NAMES), async (given, dimension) => {
        expect([200, 400, 422]).toContain(await statusOf({ ...GOOD_REPORT, dimensions: [dimension], filters: given }));
      }),
      options,
    );
  });

  test('as its dates, the response is a report or names what is wrong', async () => {
    await fc.assert(
      fc.asyncProperty(date, date, async (startDate, endDate) => {
        expect([200, 400, 422]).toContain(await statusOf({ ...GOOD_REPORT, startDate, endDate }));
      }),
      options,
    );
  });

  test('in place of any member, the response is a report or names what is wrong', async () => {
    const members = Object.keys(GOOD_REPORT).map((name) => fc.tuple(fc.constant(name), fc.jsonValue({ maxDepth: 3 })));
    await fc.assert(
      fc.asyncProperty(fc.oneof(...members), async ([name, value]) => {
        expect([200, 400, 403, 422]).toContain(await statusOf({ ...GOOD_REPORT, [name]: value }));
      }),
      options,
    );
  });
});

describe('a changed token', () => {
  const ask = (token: string) =>
    instance.send('get-jwt-claims', { key: 'key-ana', headers: [['Authorization', `Bearer ${token}`]] });

  test('is rejected, even if only bits that base64url ignores differ', async () => {
    const { body } = await instance.send('get-jwt', { key: 'key-ana' });
    const token = String(Object(body).token);
    const right = await ask(token);
    expect(right.status).toBe(200);
    const at = fc.nat(token.length - 1);
    const changed = fc.oneof(
      fc
        .tuple(at, fc.constantFrom(...'AZaz09-_.=+/ '))
        .map(([i, char]) => token.slice(0, i) + char + token.slice(i + 1)),
      at.map((i) => token.slice(0, i)),
      at.map((i) => token.slice(0, i) + token.slice(i + 1)),
      fc.tuple(at, text).map(([i, inserted]) => token.slice(0, i) + inserted + token.slice(i)),
      fc.jsonValue().map((claims) => withPart(token, 1, claims)),
      fc
        .record({ sub: fc.constantFrom('ana', 'zoe'), exp: fc.integer(), accountIds: fc.array(fc.nat(3)) })
        .map((claims) => withPart(token, 1, { ...claimsOf(token), ...claims })),
      fc
        .record({ alg: fc.constantFrom('none', 'HS256', 'ES256', 'ES384', ''), kid: text })
        .map((header) => withPart(token, 0, header)),
      fc
        .record({ alg: fc.constantFrom('none', 'HS256') })
        .map((header) => withPart(token, 0, header).replace(/\.[^.]*$/, '.')),
    );
    let accepted = 0;
    await fc.assert(
      fc.asyncProperty(changed, async (attempt) => {
        const response = await ask(attempt);
        if (response.status === 401) {
          expect(Object(response.body).code).toBe('TOKEN_INVALID');
          return;
        }
        expect([response.status, response.body]).toEqual([200, right.body]);
        // the same token: blanks around it belong to the header
        expect(attempt.trim()).toBe(token);
        accepted += 1;
      }),
      { ...options, examples: [[withIgnoredBit(token)]] },
    );
    expect(accepted).toBeLessThan(RUNS / 2);
  });
});

/** @returns the token with another last letter that has the same bytes: of the 86 letters of a signature, the last one has 4 bits too many */
function withIgnoredBit(token: string): string {
  const last = token.slice(-1);
  const other = [...BASE64URL].find(
    (char) => char !== last && signatureOf(token.slice(0, -1) + char).equals(signatureOf(token)),
  );
  expect(other).toBeDefined();
  return token.slice(0, -1) + other;
}

function signatureOf(token: string): Buffer {
  return Buffer.from(token.split('.')[2] ?? '', 'base64url');
}

function claimsOf(token: string): object {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
}

function withPart(token: string, index: number, value: unknown): string {
  return token
    .split('.')
    .with(index, Buffer.from(JSON.stringify(value) ?? '').toString('base64url'))
    .join('.');
}
