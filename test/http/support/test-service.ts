import type { KeyObject } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { vi } from 'vitest';
import { FUNCTION_ROUTES, ROUTES } from '../../../infra/config/routes.ts';
import { generateKey, openKms } from '../../../infra/local/emulator/services/kms.ts';
import type { ApiHandler } from '../../../shared/http/endpoint.ts';
import { createKey } from '../../../shared/identity/api-keys.ts';
import { openPlatform, type Platform } from '../../../shared/identity/platform.ts';
import type { Clock } from '../../../shared/lib/clock.ts';
import { loadFolder } from '../../../shared/load/load-folder.ts';
import type { Item } from '../../../shared/store/table/item.ts';
import type { Table } from '../../../shared/store/table/table.ts';
import type { TestEngine } from '../../support/table.ts';
import { openRunEngine } from '../../support/use-engine.ts';
import { userIdKey } from '../../support/user-id-key.ts';
import { checkAgainstDocument } from './contract-check.ts';
import { call, type TestRequest, type TestResponse } from './gateway-event.ts';
import { LISTINGS, PLA_DELIVERY } from './network.ts';

const KEY_HEADER = 'Ocp-Apim-Subscription-Key';

/** Names of handlers, which are files in `functions/`. */
export type FunctionName = string;

/** One newly started instance of each function; instances share no state. */
export interface Instance {
  /** Sends a request to the function, and checks the response against the OpenAPI document. */
  send(name: FunctionName, request?: TestRequest & { readonly key?: string }): Promise<TestResponse>;
  /** @returns the read units that the last request was charged */
  lastCharge(): number;
}

/** The functions over a table with the network loaded, a KMS, and the keys `key-ana`, `key-carl`, `key-zoe` and `key-nobody`. */
export interface TestService {
  readonly table: Table;
  start(): Promise<Instance>;
  /** Loads files, by their names without extension, such as `contacts` and `facts/pla/delivery`. @param clock default: the table's */
  load(files: Readonly<Record<string, Iterable<object>>>, clock?: Clock): Promise<void>;
  /** The parsed log lines so far; the last line belongs to the last request. */
  readonly logged: Readonly<Record<string, unknown>>[];
  /** @returns all items of the table */
  content(): Promise<Item[]>;
  close(): Promise<void>;
}

const KEY_ID = '11111111-2222-3333-4444-555555555555';
const ATTRIBUTION = { windowDays: 14, basis: 'conversion day' };

export interface TestServiceOptions {
  /** Loaded instead of the small network; {}: nothing. */
  readonly files?: Readonly<Record<string, readonly object[]>>;
  /** The users of the network who get a key, `key-` and the user's id. */
  readonly users?: readonly string[];
  /** Where the table is created, by default in the engine of the run. Services of one process must share it: the SDK reads its address at the first call. */
  readonly engine?: TestEngine;
  /** When the files are loaded; default: the table's. */
  readonly clock?: Clock;
  /** Signs the tokens; by default one that no other service has. */
  readonly privateKey?: KeyObject;
}

const SMALL_NETWORK = { ...LISTINGS, 'facts/pla/delivery': PLA_DELIVERY };

export async function openTestService(options: TestServiceOptions = {}): Promise<TestService> {
  const { files = SMALL_NETWORK, users = ['ana', 'carl', 'zoe', 'nobody'], privateKey = generateKey() } = options;
  const engine = options.engine ?? (await openRunEngine());
  const made = await engine.createTable();
  const kms = await openKms(new Map([[KEY_ID, privateKey]]));
  vi.stubEnv('TABLE_NAME', made.tableName);
  vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', made.endpoint);
  vi.stubEnv('AWS_ENDPOINT_URL_KMS', kms.url);
  vi.stubEnv('JWT_KEY_IDS', KEY_ID);
  vi.stubEnv('JWT_ISSUER', 'urn:endcap:test');
  vi.stubEnv('JWT_AUDIENCE', 'endcap');
  vi.stubEnv('TIME_ZONE', 'America/New_York');
  vi.stubEnv('CURRENCY', 'USD');
  vi.stubEnv('MARKET_MIN_OTHERS', '3');
  vi.stubEnv('PRODUCT_IDS', 'upc');
  vi.stubEnv('WEEK_STARTS_ON', 'Monday');
  vi.stubEnv('ATTRIBUTION', JSON.stringify({ pla: ATTRIBUTION, toa: ATTRIBUTION, carousel: ATTRIBUTION }));
  const functions = await importFunctions();
  const logged: Record<string, unknown>[] = [];
  const written = vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    logged.push(JSON.parse(String(text)));
    return true;
  });
  const service: TestService = {
    logged,
    table: made.table,
    content: () => made.content(),
    start: async () => {
      vi.stubEnv('TABLE_NAME', made.tableName); // the table of this service, if the test has opened several
      return startInstance(functions);
    },
    load: (files, clock) => load(made.table, files, clock),
    close: async () => {
      vi.unstubAllEnvs();
      written.mockRestore();
      await kms.close();
      if (options.engine === undefined) await engine.stop();
    },
  };
  if (Object.keys(files).length > 0) await service.load(files, options.clock);
  for (const user of users) await createKey(made.table, user, { key: `key-${user}` });
  return service;
}

/** Returns the handler of a new instance; functions that read nothing take no platform. */
type Create = (platform?: Platform) => ApiHandler;

/** Imports the functions, which read the environment when they are imported. */
async function importFunctions(): Promise<ReadonlyMap<FunctionName, Create>> {
  const functions = new Map<FunctionName, Create>();
  for (const { function: name } of ROUTES) {
    const { create }: { create: Create } = await import(`../../../functions/${name}.ts`);
    functions.set(name, create);
  }
  return functions;
}

function startInstance(functions: ReadonlyMap<FunctionName, Create>): Instance {
  const charges: number[] = [];
  const handlers = new Map<FunctionName, ApiHandler>();
  for (const { function: name, reads } of FUNCTION_ROUTES) {
    const platform = reads === 'none' ? undefined : observeCharges(openPlatform(), charges);
    const handler = functions.get(name)?.(platform);
    if (handler !== undefined) handlers.set(name, handler);
  }
  return {
    lastCharge: () => charges.reduce((sum, units) => sum + units, 0),
    send: async (name, { key, ...request } = {}) => {
      charges.length = 0;
      const handler = handlers.get(name);
      const route = ROUTES.find((row) => row.function === name);
      if (handler === undefined || route === undefined) throw new Error(`the function ${name} has no route`);
      const headers = [...(key === undefined ? [] : [[KEY_HEADER, key] as const]), ...(request.headers ?? [])];
      const { method = route.method } = request;
      const response = await call(handler, { resource: route.path, ...request, method, headers });
      checkAgainstDocument(route.path, method, response);
      return response;
    },
  };
}

/** @returns the platform, with every charge added to the list */
function observeCharges(platform: Platform, charges: number[]): Platform {
  const admit: Platform['identity']['admit'] = (...given) => {
    const admission = platform.identity.admit(...given);
    const end = (units: number) => {
      charges.push(units);
      return admission.end(units);
    };
    return { ...admission, end };
  };
  return { ...platform, identity: { ...platform.identity, admit } };
}

/** @returns the rows as NDJSON, in parts of some megabytes */
function* linesOf(rows: Iterable<object>): Iterable<string> {
  let part = '';
  for (const row of rows) {
    part += `${JSON.stringify(row)}\n`;
    if (part.length < 4_000_000) continue;
    yield part;
    part = '';
  }
  yield part;
}

async function load(table: Table, files: Readonly<Record<string, Iterable<object>>>, clock?: Clock): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'endcap-test-'));
  try {
    for (const [name, rows] of Object.entries(files)) {
      const file = join(folder, `${name}.ndjson`);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, linesOf(rows));
    }
    const options = { userIdKey, folder, table, timeZone: 'America/New_York', ...(clock && { clock }) };
    const report = await loadFolder(options);
    if (report.outcome === 'rejected') throw new Error(JSON.stringify(report.problems));
  } finally {
    await rm(folder, { recursive: true });
  }
}
