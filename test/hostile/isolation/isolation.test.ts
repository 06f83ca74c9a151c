import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ROUTES } from '../../../infra/config/routes.ts';
import { DIMENSION_NAMES } from '../../../shared/catalog/dimensions.ts';
import { METRIC_NAMES } from '../../../shared/catalog/metrics.ts';
import { OPERATOR_NAMES } from '../../../shared/catalog/operators.ts';
import { REPORT_EXPERIENCES } from '../../../shared/catalog/tables.ts';
import { operations } from '../../contract/openapi-document.ts';
import type { Random } from '../../oracle/random/random.ts';
import { startEngine, type TestEngine } from '../../support/table.ts';
import { stopClock, type TestClock } from '../../support/test-clock.ts';
import { printFigures, randomOf, SEED, scaled } from '../support/budget.ts';
import {
  coveredOperations,
  formatsOf,
  type OperationRequest,
  operationOf,
  randomRequest,
  withAccept,
} from '../support/random-request.ts';
import {
  changeForeign,
  comparableBody,
  firstDifference,
  type Observed,
  type ObservedService,
  type Observer,
  openServices,
  poolOf,
} from './isolated-services.ts';
import { type Network, OPERATOR, randomNetwork, USERS } from './network.ts';

const REQUESTS = scaled(3_200);
/** How often instances are replaced by new ones, which have no caches. */
const RESTARTS = 3;

/** How often requests met what the comparison needs in order to find a difference. */
const seen = {
  requests: 0,
  succeeded: 0,
  rejected: 0,
  'sent by others before': 0,
  'others saw more': 0,
  csv: 0,
  arrow: 0,
};
/** How many requests had each of FEATURES. */
const features = new Map<string, number>();

let engine: TestEngine;
beforeAll(async () => {
  engine = await startEngine();
});
afterAll(() => engine.stop());

describe('two services whose data differ only in what the caller may not see', () => {
  test.each(Array.from({ length: USERS }, (_, i) => i))(
    'have equal responses, with equal numbers of calls to the table and equal charges (user %i)',
    async (index) => {
      const random = randomOf(index);
      const network = randomNetwork(random);
      const observer = observerOf(random, network, index);
      const changed = changeForeign(random, network, observer);
      expect(changed).not.toEqual(network);
      const [first, second] = await openServices(engine, [network, changed], observer);
      if (first === undefined || second === undefined) throw new Error('two services were not opened');
      const clock = stopClock();
      try {
        await compare(random, { observer, network, changed, first, second, clock });
      } finally {
        clock.release();
        await second.close();
        await first.close();
      }
    },
  );

  test('are compared by thousands of requests, drawn from every operation of the OpenAPI document', () => {
    expect(coveredOperations().sort()).toEqual(operations.map(([, , { operationId }]) => operationId).sort());
    printFigures('isolation', seen);
    expect(seen.requests).toBeGreaterThanOrEqual(3_000);
    for (const count of Object.values(seen)) expect(count).toBeGreaterThan(seen.requests / 100);
  });

  test('are compared with every filter operator, with an id in every place, and in every format of every operation', () => {
    const [rarest = ''] = FEATURES.toSorted((a, b) => (features.get(a) ?? 0) - (features.get(b) ?? 0));
    printFigures('isolation, features', { features: FEATURES.length, rarest, requests: features.get(rarest) ?? 0 });
    expect(FEATURES.filter((name) => !features.has(name))).toEqual([]);
  });
});

/** Every second key is limited to some of its user's accounts, so that the others are foreign. */
function observerOf(random: Random, network: Network, index: number): Observer {
  const user = network.users[index];
  if (user === undefined) throw new Error(`the network has no user ${index}`);
  const { userId, accountIds } = user;
  return {
    userId,
    accountIds: index % 2 === 0 ? accountIds : random.sample(accountIds, Math.ceil(accountIds.length / 2)),
  };
}

interface Comparison {
  readonly observer: Observer;
  readonly network: Network;
  readonly changed: Network;
  readonly first: ObservedService;
  readonly second: ObservedService;
  readonly clock: TestClock;
}

async function compare(random: Random, comparison: Comparison): Promise<void> {
  const { observer, network, changed, first, second, clock } = comparison;
  const users = network.users.map(({ userId }) => userId);
  const others = [...users.filter((userId) => userId !== observer.userId), OPERATOR];
  const accountsOfUser = network.users.find(({ userId }) => userId === observer.userId)?.accountIds ?? [];
  const isLimited = accountsOfUser.length > observer.accountIds.length;
  // with a limited key, the share of voice and the charge depend on the user's other advertisers, too, because these are not rivals
  const metrics = METRIC_NAMES.filter((name) => !isLimited || name !== 'share_of_voice');
  const pool = { ...poolOf(observer, network, changed), metrics };
  const count = Math.ceil(REQUESTS / USERS);
  const earlier: OperationRequest[] = [];
  let tokens: (string | undefined)[] = [];
  for (let i = 0; i < count; i++) {
    if (i % Math.ceil(count / RESTARTS) === 0) {
      for (const service of [first, second]) await service.restart();
      tokens = [undefined, await first.tokenOf(observer.userId), await first.tokenOf(random.pick(others))];
    }
    const again = earlier.length > 0 && random.chance(0.3);
    const made = again ? nextPage(random, random.pick(earlier)) : randomRequest(random, pool);
    const request = withAccept(random, made);
    earlier.push(request);
    // a user of the first service alone sends the same request before, so that whatever it leaves behind would be seen
    const before = random.chance(0.1) ? await first.sendAs(random.pick(others), request) : undefined;
    const token = random.pick(tokens, 3);
    const at = clock.ms + random.int(6_000);
    clock.set(at);
    const expected = await first.observe(request, token);
    clock.set(at);
    const observed = await second.observe(request, token);
    const compared =
      isLimited && request.path.startsWith('/report') ? { ...observed, charge: expected.charge } : observed;
    expect(firstDifference(compared, expected), `SEED ${SEED} request ${i} ${JSON.stringify(request)}`).toBe('');
    clock.set(at);
    seen.requests += 1;
    seen[expected.status === 200 ? 'succeeded' : 'rejected'] += 1;
    if (before !== undefined) seen['sent by others before'] += 1;
    if (before?.status === 200 && comparableBody(before) !== expected.body) seen['others saw more'] += 1;
    const type = expected.status === 200 ? mediaTypeOf(expected) : undefined;
    if (type === 'text/csv') seen.csv += 1;
    if (type?.includes('arrow')) seen.arrow += 1;
    for (const name of featuresOf(request, type, String(expected.body)))
      features.set(name, (features.get(name) ?? 0) + 1);
  }
}

function mediaTypeOf({ headers }: Observed): string {
  return String(Object(headers)['Content-Type']).split(';')[0] ?? '';
}

/** @returns the request for another page of the same report, or the same request again */
function nextPage(random: Random, request: OperationRequest): OperationRequest {
  if (request.body === undefined) return request;
  const pagination = { offset: random.pick([0, 1, 3, 20]), size: random.pick([1, 3, 20]) };
  return { ...request, body: { ...request.body, pagination } };
}

const isId = (name: string) => name.endsWith('_id');

/** What the requests must have covered: each experience, each filter operator, each place of an id, each format of each operation, and items of each listing. */
const FEATURES: readonly string[] = [
  ...REPORT_EXPERIENCES.map((name) => `experience ${name}`),
  ...OPERATOR_NAMES.map((operator) => `operator ${operator}`),
  ...operations.flatMap(([, , { operationId, parameters = [] }]) =>
    parameters.filter(({ name }) => isId(name)).map(({ name }) => `id ${operationId} ${name}`),
  ),
  ...['compare', 'id advertiserIds', ...DIMENSION_NAMES.filter(isId).map((field) => `id filter ${field}`)],
  ...operations.flatMap(([, , operation]) =>
    formatsOf(operation).map((type) => `format ${operation.operationId} ${type}`),
  ),
  ...ROUTES.flatMap(({ id, operation }) => (operation.paged ? [`items ${id}`] : [])),
];

/**
 * @param type the media type of the response if its status is 200; a format that was requested but not sent is not covered
 * @param body the response, to see whether a listing has items
 * @returns which of the features the request has
 */
function featuresOf(request: OperationRequest, type: string | undefined, body: string): string[] {
  const { operationId } = operationOf(request);
  const names = [...Object.keys(request.pathParameters), ...request.query.map(([name]) => name)];
  const { filters = [], advertiserIds = [], compare } = reportOf(request);
  const experience = request.pathParameters.experience_name;
  return [
    ...(experience === undefined ? [] : [`experience ${experience.toLowerCase()}`]),
    ...names.filter(isId).map((name) => `id ${operationId} ${name}`),
    ...(advertiserIds.length > 0 ? ['id advertiserIds'] : []),
    ...(compare !== undefined && type !== undefined ? ['compare'] : []),
    ...filters.map(({ operator }) => `operator ${operator}`),
    ...filters.flatMap(({ field, values }) => (isId(field) && values.length > 0 ? [`id filter ${field}`] : [])),
    ...(type === undefined ? [] : [`format ${operationId} ${type}`]),
    ...(hasItems(type, body) ? [`items ${operationId}`] : []),
  ];
}

/** As JSON, or as CSV with lines below its header. */
function hasItems(type: string | undefined, body: string): boolean {
  return type === 'text/csv' ? body.trim().includes('\n') : body.includes('"data":[{');
}

interface ReportView {
  readonly filters?: readonly {
    readonly field: string;
    readonly operator: string;
    readonly values: readonly string[];
  }[];
  readonly advertiserIds?: readonly number[];
  readonly compare?: unknown;
}

function reportOf({ body }: OperationRequest): ReportView {
  return body ?? {}; // a body of random-request.ts, or none
}
