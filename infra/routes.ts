import type { Partitions } from './stack/partitions.ts';

/**
 * What a route's function may do beside running, logging and reading.
 * `writeView`: move users' views of contacts and addresses. `writeResults`: put the kept rows of reports. `readPublicKey`: fetch the public half of the
 * signing key, to verify a bearer token. `sign`: sign with it.
 */
export type Right = 'writeView' | 'writeResults' | 'readPublicKey' | 'sign';

export interface Route {
  /** Unique, camelCase; the OpenAPI document's operationId. */
  readonly id: string;
  readonly method: 'GET' | 'POST';
  /** Relative to the stage, parameters in braces: `/ad_groups/{ad_group_id}/available_products`. */
  readonly path: `/${string}`;
  /** The file in `functions/` without its ending; it exports `handler`. */
  readonly function: string;
  readonly access: readonly Right[];
  /** What of the table it may get, batch-get and query, beside what tells who asks. */
  readonly reads: readonly Partitions[];
  /** The setting that says how many requests the gateway lets through. */
  readonly throttle: 'throttle' | 'reportThrottle';
  /** MB; 1,769 is one vCPU. */
  readonly memory: number;
  /** Seconds; below the gateway's 29 so that the function ends first. */
  readonly timeout: number;
}

const LISTING = { method: 'GET', memory: 1024, timeout: 28, throttle: 'throttle' } as const;

/** The nine routes of the contract: the stack, the local stage, the OpenAPI document and the tests are made from these rows. */
export const ROUTES: readonly Route[] = [
  {
    ...LISTING,
    id: 'listAccounts',
    path: '/metadata/accounts',
    function: 'list-accounts',
    access: ['writeView', 'readPublicKey'],
    reads: ['accounts'],
  },
  {
    ...LISTING,
    id: 'listAdvertisers',
    path: '/metadata/advertisers',
    function: 'list-advertisers',
    access: ['readPublicKey'],
    reads: ['advertisers'],
  },
  {
    ...LISTING,
    id: 'listContacts',
    path: '/metadata/contacts',
    function: 'list-contacts',
    access: ['writeView', 'readPublicKey'],
    reads: ['views', 'contacts'],
  },
  {
    ...LISTING,
    id: 'listAddresses',
    path: '/metadata/addresses',
    function: 'list-addresses',
    access: ['writeView', 'readPublicKey'],
    reads: ['views', 'addresses'],
  },
  {
    ...LISTING,
    id: 'listPlacements',
    path: '/metadata/placements',
    function: 'list-placements',
    access: ['readPublicKey'],
    reads: ['placements'],
  },
  {
    ...LISTING,
    id: 'listAvailableProducts',
    path: '/ad_groups/{ad_group_id}/available_products',
    function: 'list-available-products',
    access: ['readPublicKey'],
    reads: ['adGroups', 'products'],
  },
  {
    id: 'submitReport',
    method: 'POST',
    path: '/report/{experience_name}',
    function: 'submit-report',
    access: ['writeResults', 'readPublicKey'],
    reads: ['owners', 'dimensions', 'facts', 'rollups', 'results'],
    memory: 1769,
    timeout: 28,
    throttle: 'reportThrottle',
  },
  {
    ...LISTING,
    id: 'getJwt',
    path: '/jwt',
    function: 'get-jwt',
    access: ['readPublicKey', 'sign'],
    reads: [],
  },
  {
    ...LISTING,
    id: 'getJwtClaims',
    path: '/jwt/claims',
    function: 'get-jwt-claims',
    access: ['readPublicKey'],
    reads: [],
  },
];
