/**
 * What a route's function may do beside running and logging.
 * `readTable`: get, batch-get and query, never scan. `writeView`: update items of users' own partitions (the cached view of contacts and
 * addresses). `writeResults`: put the kept rows of reports, and nothing else. `readPublicKey`: fetch the public half of the signing key, to verify a bearer token. `sign`: sign with it.
 */
export type Right = 'readTable' | 'writeView' | 'writeResults' | 'readPublicKey' | 'sign';

export interface Route {
  /** Unique, camelCase; the OpenAPI document's operationId. */
  readonly id: string;
  readonly method: 'GET' | 'POST';
  /** Relative to the stage, parameters in braces: `/ad_groups/{ad_group_id}/available_products`. */
  readonly path: `/${string}`;
  /** The file in `functions/` without its ending; it exports `handler`. */
  readonly function: string;
  readonly access: readonly Right[];
  /** MB; 1,769 is one vCPU. */
  readonly memory: number;
  /** Seconds; below the gateway's 29 so that the function ends first. */
  readonly timeout: number;
}

const LISTING = { method: 'GET', memory: 1024, timeout: 28 } as const;

/** The nine routes of the contract: the stack, the local stage, the OpenAPI document and the tests are made from these rows. */
export const ROUTES: readonly Route[] = [
  {
    ...LISTING,
    id: 'listAccounts',
    path: '/metadata/accounts',
    function: 'list-accounts',
    access: ['readTable', 'writeView', 'readPublicKey'],
  },
  {
    ...LISTING,
    id: 'listAdvertisers',
    path: '/metadata/advertisers',
    function: 'list-advertisers',
    access: ['readTable', 'readPublicKey'],
  },
  {
    ...LISTING,
    id: 'listContacts',
    path: '/metadata/contacts',
    function: 'list-contacts',
    access: ['readTable', 'writeView', 'readPublicKey'],
  },
  {
    ...LISTING,
    id: 'listAddresses',
    path: '/metadata/addresses',
    function: 'list-addresses',
    access: ['readTable', 'writeView', 'readPublicKey'],
  },
  {
    ...LISTING,
    id: 'listPlacements',
    path: '/metadata/placements',
    function: 'list-placements',
    access: ['readTable', 'readPublicKey'],
  },
  {
    ...LISTING,
    id: 'listAvailableProducts',
    path: '/ad_groups/{ad_group_id}/available_products',
    function: 'list-available-products',
    access: ['readTable', 'readPublicKey'],
  },
  {
    id: 'submitReport',
    method: 'POST',
    path: '/report/{experience_name}',
    function: 'submit-report',
    access: ['readTable', 'writeResults', 'readPublicKey'],
    memory: 1769,
    timeout: 28,
  },
  {
    ...LISTING,
    id: 'getJwt',
    path: '/jwt',
    function: 'get-jwt',
    access: ['readTable', 'readPublicKey', 'sign'],
  },
  {
    ...LISTING,
    id: 'getJwtClaims',
    path: '/jwt/claims',
    function: 'get-jwt-claims',
    access: ['readTable', 'readPublicKey'],
  },
];
