import type { PartitionName } from './partition-permissions.ts';

export interface Route {
  /** Unique, camelCase; the OpenAPI document's operationId. */
  readonly id: string;
  readonly method: 'GET' | 'POST';
  /** Relative to the stage, parameters in braces: `/ad_groups/{ad_group_id}/available_products`. */
  readonly path: `/${string}`;
  /** The file in `functions/` without its extension; it exports `handler`. */
  readonly function: string;
  /**
   * What its function may do besides reading the table, recording the use of keys and writing its log. `writeView`: advance users' views of contacts and
   * addresses. `writeResults`: store the rows of reports. `readPublicKey`: fetch the public keys that verify bearer tokens. `sign`: sign tokens.
   */
  readonly access: readonly ('writeView' | 'writeResults' | 'readPublicKey' | 'sign')[];
  /** The partitions of the table that it may read, besides CALLER_PARTITIONS. `none`: it needs no key, and must not read the table at all. */
  readonly reads: readonly PartitionName[] | 'none';
  /** The setting with the route's request limits. */
  readonly throttle: 'throttle' | 'reportThrottle';
  /** In MB; 1,769 MB have one vCPU. */
  readonly memory: number;
  /** In seconds; below API Gateway's 29 so that the function ends first. */
  readonly timeout: number;
}

const LISTING = { method: 'GET', memory: 1024, timeout: 28, throttle: 'throttle' } as const;

/** The routes of the contract. */
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
    id: 'listCampaigns',
    path: '/metadata/campaigns',
    function: 'list-campaigns',
    access: ['readPublicKey'],
    reads: ['owners', 'dimensions'],
  },
  {
    ...LISTING,
    id: 'listAdGroups',
    path: '/metadata/ad_groups',
    function: 'list-ad-groups',
    access: ['readPublicKey'],
    reads: ['owners', 'dimensions'],
  },
  {
    ...LISTING,
    id: 'listFields',
    path: '/metadata/fields',
    function: 'list-fields',
    access: ['readPublicKey'],
    reads: [],
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
    reads: ['owners', 'dimensions', 'facts', 'rollups', 'shards', 'results'],
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
  {
    ...LISTING,
    id: 'getJwks',
    path: '/.well-known/jwks.json',
    function: 'get-jwks',
    access: ['readPublicKey'],
    reads: 'none',
  },
];

/**
 * The pages, which are not part of the contract: the start page, the explorer, the documentation, the OpenAPI document, and a page for each type of problem.
 * One function serves them, and it may neither read the table nor use the signing key. They exist unless the setting `pages` is false.
 */
export const PAGES = {
  function: 'get-page',
  paths: [
    '/',
    '/problems',
    '/problems/{file}',
    '/explorer',
    '/explorer/{file}',
    '/docs',
    '/docs/{file}',
    '/openapi.json',
    '/openapi-3.0.json',
  ],
  memory: 512,
  timeout: 10,
} as const;
