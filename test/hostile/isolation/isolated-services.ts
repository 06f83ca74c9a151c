import { ROUTES } from '../../../infra/config/routes.ts';
import { generateKey } from '../../../infra/local/emulator/services/kms.ts';
import { createKey } from '../../../shared/identity/api-keys.ts';
import type { TestResponse } from '../../http/support/gateway-event.ts';
import { type Instance, openTestService, type TestService } from '../../http/support/test-service.ts';
import type { TestEngine } from '../../support/table.ts';
import type { OperationRequest } from '../support/random-request.ts';
import type { Observer } from './foreign-change.ts';
import { filesOf, type Network } from './network.ts';

/** What is compared between services: a response, its charge, and the code and number of store calls in its log line. */
export type Observed = Readonly<Record<string, unknown>>;

export interface ObservedService {
  observe(request: OperationRequest, token: string | undefined): Promise<Observed>;
  /** Sends the request as any user, through an instance other than the observer's. */
  sendAs(userId: string, request: OperationRequest): Promise<TestResponse>;
  tokenOf(userId: string): Promise<string>;
  /** Starts new instances of the functions, without caches. */
  restart(): Promise<void>;
  /** @returns how many reports' rows are cached in the table */
  cachedReports(): Promise<number>;
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
    services.push(await openTestService({ engine, files: filesOf(network), users, privateKey }));
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
      const { storeCalls, code } = lastLine();
      const { 'x-request-id': _, ...headers } = response.headers;
      const charge = instance.lastCharge();
      return { status: response.status, code, storeCalls, charge, headers, body: comparableBody(response) };
    },
    tokenOf: async (user) => {
      const { body } = await sendAs(user, { method: 'GET', path: '/jwt', pathParameters: {}, query: [] });
      return String(Object(body).token);
    },
    restart: async () => {
      instance = await service.start();
    },
    cachedReports: async () => {
      const items = await service.content();
      return new Set(items.map(({ pk }) => pk).filter((pk) => pk.startsWith('RESULT#'))).size;
    },
    close: () => service.close(),
  };
}

function send(instance: Instance, request: OperationRequest, userId: string, token?: string): Promise<TestResponse> {
  const route = ROUTES.find(({ path }) => path === request.path);
  if (route === undefined) throw new Error(`there is no route ${request.path}`);
  const name = route.function;
  const { pathParameters, query, body, accept } = request;
  const headers = [
    ...(token === undefined ? [] : [['Authorization', `Bearer ${token}`] as const]),
    ...(accept === undefined ? [] : [['Accept', accept] as const]),
    ...(body === undefined ? [] : [['Content-Type', 'application/json'] as const]),
  ];
  const sent = { key: `key-${userId}`, pathParameters, query, headers };
  return instance.send(name, body === undefined ? sent : { ...sent, body: JSON.stringify(body) });
}

const TOKEN = /eyJ[\w-]+\.([\w-]+)\.[\w-]+/g;
const REQUEST_IDS = /"(requestId|jti)":"[^"]*"/g;

/** @returns the body without what differs between two equal requests: JSON with each token replaced by its claims, anything else in base64 */
export function comparableBody({ headers, bytes, text }: TestResponse): string {
  const withoutIds = (body: string) => body.replaceAll(REQUEST_IDS, '"$1":""');
  // Arrow has the request's id in its metadata
  if (!/json$/.test(headers['Content-Type'] ?? ''))
    return Buffer.from(withoutIds(bytes.toString('latin1')), 'latin1').toString('base64');
  const claims = (_: string, payload: string) => Buffer.from(payload, 'base64url').toString();
  return withoutIds(text.replaceAll(TOKEN, claims));
}
