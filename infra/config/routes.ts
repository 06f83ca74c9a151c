import type { PartitionName } from './partition-permissions.ts';

export interface Route {
  /** Unique, camelCase; the OpenAPI document's operationId. */
  readonly id: string;
  readonly method: 'GET' | 'POST';
  /** Relative to the stage, parameters in braces: `/ad_groups/{ad_group_id}/available_products`. */
  readonly path: `/${string}`;
  /** The file in `functions/` without its extension, which is the id in kebab case; it exports `create`, which returns a handler, and `handler`. */
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

/** @returns a route that only reads and verifies tokens, unless `differences` says otherwise */
function routeOf(
  id: string,
  path: Route['path'],
  reads: Route['reads'],
  differences: Partial<Pick<Route, 'method' | 'access' | 'memory' | 'throttle'>> = {},
): Route {
  return {
    id,
    method: 'GET',
    path,
    function: id.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`),
    access: ['readPublicKey'],
    reads,
    throttle: 'throttle',
    memory: 1024,
    timeout: 28,
    ...differences,
  };
}

export const ROUTES: readonly Route[] = [
  routeOf('listAccounts', '/metadata/accounts', ['accounts'], { access: ['writeView', 'readPublicKey'] }),
  routeOf('listAdvertisers', '/metadata/advertisers', ['advertisers']),
  routeOf('listContacts', '/metadata/contacts', ['views', 'contacts'], { access: ['writeView', 'readPublicKey'] }),
  routeOf('listAddresses', '/metadata/addresses', ['views', 'addresses'], { access: ['writeView', 'readPublicKey'] }),
  routeOf('listPlacements', '/metadata/placements', ['placements']),
  routeOf('listCampaigns', '/metadata/campaigns', ['owners', 'dimensions']),
  routeOf('listAdGroups', '/metadata/ad_groups', ['owners', 'dimensions']),
  routeOf('listFields', '/metadata/fields', []),
  routeOf('listAvailableProducts', '/ad_groups/{ad_group_id}/available_products', ['adGroups', 'products']),
  routeOf(
    'submitReport',
    '/report/{experience_name}',
    ['owners', 'dimensions', 'facts', 'rollups', 'shards', 'results'],
    {
      method: 'POST',
      access: ['writeResults', 'readPublicKey'],
      memory: 1769,
      throttle: 'reportThrottle',
    },
  ),
  routeOf('getJwt', '/jwt', [], { access: ['readPublicKey', 'sign'] }),
  routeOf('getJwtClaims', '/jwt/claims', []),
  routeOf('getJwks', '/.well-known/jwks.json', 'none'),
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
