import { BASE_PATH } from '../../shared/contract/problem.ts';
import { FUNCTION_ROUTES, type FunctionRoute, PAGES } from './routes.ts';
import type { Settings } from './settings.ts';

/*
 * What the stack and the local stage have in common: both are built from it, so that their responses cannot differ.
 */

/** The version segment with which every path of the contract begins: `v2`. */
export const STAGE_NAME = BASE_PATH.slice(1);

/** Smaller responses save at most a few hundred bytes, which is not worth the time of compressing them. */
export const MIN_COMPRESSED_BYTES = 1024;

/**
 * All types, so that API Gateway decodes a large page, which the function has compressed and encoded in base64, whatever the client sends in Accept. It
 * decodes only bodies that the function marks as base64. All request bodies arrive at the functions in base64 (decompressed before).
 */
export const BINARY_MEDIA_TYPES: readonly string[] = ['*/*'];

/** Memory of the ingestion: the maximum for new accounts. A load uses one vCPU fully (1,769 MB), and a part of a second one for garbage collection. */
export const INGESTION_MB = 3008;

/** The attributes of the table's primary key, both text. */
export const TABLE_KEYS = { partition: 'pk', sort: 'sk' } as const;

/**
 * Of V8, in the functions of reports. With the default semi-space of 16 MB, objects of one report are promoted to the old generation, whose collection
 * takes longer. A report that takes much memory is rejected before the heap is full, but only after garbage is collected.
 */
const REPORT_OPTIONS = '--max-semi-space-size=32 --max-old-space-size=1200 --expose-gc';

interface ServiceFunction {
  /** The file in `functions/` without its extension. */
  readonly name: string;
  /** Relative to the stage; it serves all methods. */
  readonly paths: readonly string[];
  /** The route that it serves, or one of them; undefined for the pages. */
  readonly route: FunctionRoute | undefined;
  /** In MB. */
  readonly memory: number;
  /** In seconds. */
  readonly timeout: number;
  readonly environment: Readonly<Record<string, string>>;
}

/** The names and ids of the resources that the functions use. */
interface ResourceNames {
  readonly stackName: string;
  readonly tableName: string;
  /** The first is that of the key that signs. */
  readonly signingKeyIds: readonly string[];
}

/** @returns what the pages show of the operator */
export function brandOf({ pages }: Pick<Settings, 'pages'>): Exclude<Settings['pages'], boolean> {
  return typeof pages === 'object' ? pages : {};
}

/** @returns the functions behind the API, with those of the pages if the settings have them */
export function serviceFunctions(settings: Settings, names: ResourceNames): ServiceFunction[] {
  const brand = brandOf(settings);
  const environment = {
    ...(brand.contact === undefined ? {} : { CONTACT: brand.contact }),
    TIME_ZONE: settings.timeZone,
    CURRENCY: settings.currency,
    CORS_ORIGINS: JSON.stringify(settings.corsOrigins),
    KEY_LIMITS: JSON.stringify(settings.keyLimits),
    ATTRIBUTION: JSON.stringify(settings.attribution),
    ...(settings.methodology && { METHODOLOGY: JSON.stringify(settings.methodology) }),
    ...(settings.restatementDays && { RESTATEMENT_DAYS: JSON.stringify(settings.restatementDays) }),
    MARKET_MIN_OTHERS: String(settings.marketMinOthers),
    WEEK_STARTS_ON: settings.weekStartsOn,
    ...(settings.minUsers === 0 ? {} : { MIN_USERS: String(settings.minUsers) }),
    PRODUCT_IDS: settings.productIds,
    JWT_ISSUER: `urn:endcap:${names.stackName}`,
    JWT_AUDIENCE: 'endcap',
  };
  const routes = FUNCTION_ROUTES.map((route) => ({
    name: route.function,
    paths: [route.path],
    route,
    memory: route.memory,
    timeout: route.timeout,
    environment: {
      ...environment,
      ...(route.reads === 'none' ? {} : { TABLE_NAME: names.tableName }),
      ...(route.throttle === 'reportThrottle' ? { NODE_OPTIONS: REPORT_OPTIONS } : {}),
      ...(route.access.includes('readPublicKey') ? { JWT_KEY_IDS: names.signingKeyIds.join(',') } : {}),
    },
  }));
  const { function: name, paths, memory, timeout } = PAGES;
  const shown = { TIME_ZONE: settings.timeZone, BRAND: JSON.stringify(brand) };
  const pages = { name, paths, route: undefined, memory, timeout, environment: shown };
  return settings.pages ? [...routes, pages] : routes;
}
