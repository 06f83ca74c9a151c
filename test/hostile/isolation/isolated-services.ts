import { ROUTES } from '../../../infra/config/routes.ts';
import { generateKey } from '../../../infra/local/emulator/services/kms.ts';
import { createKey } from '../../../shared/identity/api-keys.ts';
import type { TestResponse } from '../../http/support/gateway-event.ts';
import { type Instance, openTestService, type TestService } from '../../http/support/test-service.ts';
import type { Random } from '../../oracle/random/random.ts';
import type { TestEngine } from '../../support/table.ts';
import type { OperationRequest, RequestPool } from '../support/random-request.ts';
import {
  ACCOUNT_IDS,
  ADVERTISER_IDS,
  type Advertiser,
  DATES,
  filesOf,
  GUESSES,
  type Network,
  OPERATOR,
  randomAccount,
  randomAddress,
  randomAdvertiser,
  randomContact,
  randomMarket,
  randomUser,
  SHARED_IDS,
  type Shared,
  sliceOf,
} from './network.ts';

/** What is compared between services: a response, its charge, and the code, write units and number of store calls in its log line. */
export type Observed = Readonly<Record<string, unknown>>;

export interface ObservedService {
  observe(request: OperationRequest, token: string | undefined): Promise<Observed>;
  /** Sends the request as any user, through an instance other than the observer's. */
  sendAs(userId: string, request: OperationRequest): Promise<TestResponse>;
  tokenOf(userId: string): Promise<string>;
  /** Starts new instances of the functions, without caches. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

/** Opens services that have the same signing key, and in which the observer has the same API key. */
export async function openServices(
  engine: TestEngine,
  networks: readonly Network[],
  observer: Observer,
): Promise<ObservedService[]> {
  const privateKey = generateKey();
  const services: TestService[] = [];
  for (const network of networks) {
    const users = network.users.map(({ userId }) => userId).filter((userId) => userId !== observer.userId);
    const loaded = { files: filesOf(network), clock: () => LOADED_AT };
    services.push(await openTestService({ engine, ...loaded, users: [...users, OPERATOR], privateKey }));
  }
  // all functions of the process log to the service that was opened last
  const lastLine = () => services.at(-1)?.logged.at(-1) ?? {};
  return Promise.all(
    services.map(async (service, i) => {
      const user = networks[i]?.users.find(({ userId }) => userId === observer.userId);
      // a user with more accounts than the observer gets a key that is limited to the observer's
      const isLimited = user !== undefined && user.accountIds.length > observer.accountIds.length;
      const limits = isLimited ? { accountIds: observer.accountIds } : {};
      await createKey(service.table, observer.userId, { key: `key-${observer.userId}`, ...limits });
      return observedService(service, observer, lastLine);
    }),
  );
}

function observedService(
  service: TestService,
  { userId }: Observer,
  lastLine: () => Readonly<Record<string, unknown>>,
): ObservedService {
  let instance: Instance | undefined;
  let others: Instance | undefined;
  const sendAs = async (user: string, request: OperationRequest) => {
    others ??= await service.start();
    return send(others, request, user);
  };
  return {
    sendAs,
    observe: async (request, token) => {
      if (instance === undefined) throw new Error('restart the service before it is observed');
      const response = await send(instance, request, userId, token);
      const { storeCalls, code, writeUnits } = lastLine();
      const { 'x-request-id': _, ...headers } = response.headers;
      const charge = instance.lastCharge();
      return { status: response.status, code, storeCalls, charge, writeUnits, headers, body: comparableBody(response) };
    },
    tokenOf: async (user) => {
      const { body } = await sendAs(user, { method: 'GET', path: '/jwt', pathParameters: {}, query: [] });
      return String(Object(body).token);
    },
    restart: async () => {
      instance = await service.start();
    },
    close: () => service.close(),
  };
}

function send(instance: Instance, request: OperationRequest, userId: string, token?: string): Promise<TestResponse> {
  const route = ROUTES.find(({ path }) => path === request.path);
  if (route === undefined) throw new Error(`there is no route ${request.path}`);
  const name = route.function;
  const { method, pathParameters, query, body, accept } = request;
  const headers = [
    ...(token === undefined ? [] : [['Authorization', `Bearer ${token}`] as const]),
    ...(accept === undefined ? [] : [['Accept', accept] as const]),
    ...(body === undefined ? [] : [['Content-Type', 'application/json'] as const]),
  ];
  const sent = { key: `key-${userId}`, method, pathParameters, query, headers };
  return instance.send(name, body === undefined ? sent : { ...sent, body: JSON.stringify(body) });
}

/** Of all services, because what changed is listed with its time. */
const LOADED_AT = Date.parse('2026-03-01T06:00:00Z');
/** The token of a copy, which begins with its table. */
const CHANGES_TOKEN = /[\w-]{8}\.(?=\d{13}\b)/g;
const TOKEN = /eyJ[\w-]+\.([\w-]+)\.[\w-]+/g;
const REQUEST_IDS = /"(requestId|jti)":"[^"]*"/g;

/** @returns the body without what differs between two equal requests: JSON with each token replaced by its claims, anything else in base64 */
export function comparableBody({ headers, bytes, text }: TestResponse): string {
  const withoutIds = (body: string) => body.replaceAll(REQUEST_IDS, '"$1":""').replaceAll(CHANGES_TOKEN, '');
  // Arrow has the request's id in its metadata
  if (!/json$/.test(headers['Content-Type'] ?? ''))
    return Buffer.from(withoutIds(bytes.toString('latin1')), 'latin1').toString('base64');
  const claims = (_: string, payload: string) => Buffer.from(payload, 'base64url').toString();
  return withoutIds(text.replaceAll(TOKEN, claims));
}

/** What a key may see: some accounts of a user. */
export interface Observer {
  readonly userId: string;
  readonly accountIds: readonly number[];
}

/**
 * @returns another network that is the same for the observer: all that it may not see is removed, replaced or added to, the other owners of what it
 * sees included. What the observer sees of the market stays: the rows of the slices in which its advertisers have delivery in pla.
 */
export function changeForeign(random: Random, network: Network, observer: Observer): Network {
  const own = new Set(observer.accountIds);
  const isOwn = ({ accountIds }: Shared) => accountIds.some((id) => own.has(id));
  const taken = new Set(network.accounts.map(({ id }) => id));
  const accounts = [
    ...network.accounts
      .filter(({ id }) => own.has(id) || random.chance(0.7))
      .map((account) => {
        return own.has(account.id) || random.chance(0.3) ? account : randomAccount(random, account.id);
      }),
    ...unused(random, taken, ACCOUNT_IDS).map((id) => randomAccount(random, id)),
  ];
  const foreign = accounts.map(({ id }) => id).filter((id) => !own.has(id));

  /** Keeps what the observer sees, except for its foreign owners; replaces or removes the rest, and adds to it. */
  function change<T extends Shared>(
    rows: readonly T[],
    ids: readonly number[],
    make: (random: Random, id: number, accountIds: readonly number[]) => T,
  ): T[] {
    const seen = rows
      .filter(isOwn)
      .map((row) => ({ ...row, accountIds: otherOwners(random, row.accountIds, own, foreign) }));
    if (foreign.length === 0) return seen;
    const others = rows
      .filter((row) => !isOwn(row) && random.chance(0.7))
      .map(({ row }) => make(random, row.id, foreign));
    const added = unused(random, new Set(rows.map(({ row }) => row.id)), ids).map((id) => make(random, id, foreign));
    return [...seen, ...others, ...added];
  }

  const advertisers: Advertiser[] = change(network.advertisers, ADVERTISER_IDS, randomAdvertiser);
  return {
    accounts,
    advertisers,
    contacts: change(network.contacts, SHARED_IDS, randomContact),
    addresses: change(network.addresses, SHARED_IDS, randomAddress),
    users: network.users
      .filter(({ userId }) => userId === observer.userId || random.chance(0.7))
      .map((user) => {
        const ids = accounts.map(({ id }) => id);
        if (user.userId !== observer.userId) return randomUser(random, user.userId, ids);
        // a key may see less than its user, whose other accounts are then foreign, too
        return {
          ...user,
          accountIds: [...observer.accountIds, ...random.sample(foreign, user.accountIds.length > own.size ? 2 : 0)],
        };
      }),
    market: changeMarket(random, network, network.advertisers.filter(isOwn)),
  };
}

/** @returns the owners with others in the place of those that are not the observer's; the primary one, which is first, stays if it is the observer's */
function otherOwners(
  random: Random,
  accountIds: readonly number[],
  own: ReadonlySet<number>,
  foreign: readonly number[],
): number[] {
  const kept = accountIds.filter((id) => own.has(id));
  const others = random.sample(foreign, random.int(3));
  const isPrimary = own.has(accountIds[0] ?? 0) || others.length === 0;
  return isPrimary ? [...kept, ...others] : [...others, ...kept];
}

function changeMarket(random: Random, network: Network, own: readonly Advertiser[]): Network['market'] {
  const delivery = own.flatMap(({ files }) => files['facts/pla/delivery'] ?? []);
  const seen = new Set(delivery.map(sliceOf));
  return [
    ...network.market.filter((row) => seen.has(sliceOf(row))),
    ...randomMarket(random).filter((row) => !seen.has(sliceOf(row))),
  ];
}

function unused(random: Random, taken: ReadonlySet<number>, ids: readonly number[]): number[] {
  const free = ids.filter((id) => !taken.has(id));
  return random.sample(free, random.int(free.length + 1));
}

/** @returns the first difference with what is around it, since bodies are long; empty if there is none */
export function firstDifference(observed: Observed, expected: Observed): string {
  const [a, b] = [JSON.stringify(observed), JSON.stringify(expected)];
  let at = 0;
  while (at < a.length && a[at] === b[at]) at += 1;
  return a === b
    ? ''
    : `${a.slice(Math.max(0, at - 100), at + 100)} instead of ${b.slice(Math.max(0, at - 100), at + 100)}`;
}

/** @returns all ids and texts of both services, and ids of neither; half of the ids are of the observer, because few listings would have rows otherwise */
export function poolOf({ accountIds }: Observer, ...networks: readonly Network[]): RequestPool {
  const advertisers = networks.flatMap((network) => network.advertisers);
  const own = advertisers.filter((advertiser) => advertiser.accountIds.some((id) => accountIds.includes(id)));
  const ownIds: Readonly<Record<string, readonly unknown[]>> = {
    account_id: accountIds,
    advertiser_id: own.map(({ row }) => row.id),
    campaign_id: own.flatMap(({ files }) => (files.campaigns ?? []).map(({ id }) => id)),
    ad_group_id: own.flatMap(({ files }) => (files.ad_groups ?? []).map(({ id }) => id)),
  };
  const idsOf = Object.entries(GUESSES).map(([name, ids]) => {
    const mine = ownIds[name] ?? [];
    return [name, ids.flatMap((id, i) => [id, Number(mine[i % mine.length] ?? id)])] as const;
  });
  const rows = advertisers.flatMap(({ row, files }) => [row, ...Object.values(files).flat()]);
  const texts = [...rows, ...networks.flatMap(({ market }) => market)].flatMap((row) =>
    Object.values(row).flatMap((value) => (typeof value === 'string' && value !== '' ? [value] : [])),
  );
  return {
    ids: Object.values(GUESSES).flat(),
    idsOf: Object.fromEntries(idsOf),
    advertiserIds: advertisers.map(({ row }) => row.id),
    texts: [...new Set(texts)],
    dates: [...DATES, '2025-12-31', '2026-01-20', '2026-03-01'],
  };
}
