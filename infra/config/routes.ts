import { OPERATIONS, type Operation } from '../../shared/contract/openapi/operations.ts';
import { listAccounts } from '../../shared/contract/resources/account.ts';
import { listAdGroups } from '../../shared/contract/resources/ad-group.ts';
import { listAddresses } from '../../shared/contract/resources/address.ts';
import { listAdvertisers } from '../../shared/contract/resources/advertiser.ts';
import { listCampaigns } from '../../shared/contract/resources/campaign.ts';
import { listChanges } from '../../shared/contract/resources/change.ts';
import { listContacts } from '../../shared/contract/resources/contact.ts';
import { listPlacements } from '../../shared/contract/resources/placement.ts';
import { listAvailableProducts } from '../../shared/contract/resources/product.ts';
import type { PartitionName } from './partition-permissions.ts';

export interface Route {
  /** Unique, camelCase; the OpenAPI document's operationId. */
  readonly id: string;
  readonly method: 'GET' | 'POST';
  /** Relative to the stage, parameters in braces: `/ad_groups/{ad_group_id}/available_products`. */
  readonly path: `/${string}`;
  /** What the contract says of it. */
  readonly operation: Operation;
  /** The file in `functions/` without its extension, which is the id in kebab case; it exports `create`, which returns a handler, and `handler`. It may serve two methods of a path. */
  readonly function: string;
  /**
   * What its function may do besides reading the table, recording the use of keys and writing its log. `writeView`: advance users' views of contacts and
   * addresses. `readPublicKey`: fetch the public keys that verify bearer tokens. `sign`: sign tokens.
   */
  readonly access: readonly ('writeView' | 'readPublicKey' | 'sign')[];
  /** The partitions of the table that it may read, besides CALLER_PARTITIONS. `none`: it needs no key, and must not read the table at all. */
  readonly reads: readonly PartitionName[] | 'none';
  /** The setting with the route's request limits. */
  readonly throttle: 'throttle' | 'reportThrottle';
  /** In MB; 1,769 MB have one vCPU. */
  readonly memory: number;
  /** In seconds; below API Gateway's 29 so that the function ends first. */
  readonly timeout: number;
}

/** A route of a function, which need not be an operation of the contract. */
export type FunctionRoute = Omit<Route, 'operation'>;

/** @returns a route that only reads and verifies tokens, unless `differences` says otherwise */
function routeOf(
  id: string,
  operation: Operation,
  path: Route['path'],
  reads: Route['reads'],
  differences: Partial<Pick<Route, 'method' | 'access' | 'memory' | 'throttle'>> = {},
): Route {
  return {
    id,
    method: 'GET',
    path,
    operation,
    function: id.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`),
    access: ['readPublicKey'],
    reads,
    throttle: 'throttle',
    memory: 1024,
    timeout: 28,
    ...differences,
  };
}

function reportRoute(id: string, operation: Operation, method: Route['method']): Route {
  const reads = ['owners', 'dimensions', 'facts', 'rollups', 'shards'] as const;
  const differences = { method, memory: 1769, throttle: 'reportThrottle' } as const;
  return { ...routeOf(id, operation, '/report/{experience_name}', reads, differences), function: 'submit-report' };
}

export const ROUTES: readonly Route[] = [
  routeOf('listAccounts', listAccounts, '/metadata/accounts', ['accounts'], { access: ['writeView', 'readPublicKey'] }),
  routeOf('listAdvertisers', listAdvertisers, '/metadata/advertisers', ['advertisers']),
  routeOf('listContacts', listContacts, '/metadata/contacts', ['views', 'contacts'], {
    access: ['writeView', 'readPublicKey'],
  }),
  routeOf('listAddresses', listAddresses, '/metadata/addresses', ['views', 'addresses'], {
    access: ['writeView', 'readPublicKey'],
  }),
  routeOf('listPlacements', listPlacements, '/metadata/placements', ['placements']),
  routeOf('listCampaigns', listCampaigns, '/metadata/campaigns', ['owners', 'dimensions']),
  routeOf('listAdGroups', listAdGroups, '/metadata/ad_groups', ['owners', 'dimensions']),
  routeOf('listFields', OPERATIONS.listFields, '/metadata/fields', [
    'owners',
    'columnsWithData',
    'dimensions',
    'platformFactHead',
    'platformFactHeadChunks',
  ]),
  routeOf('listChanges', listChanges, '/metadata/changes', ['owners', 'changes']),
  routeOf('listAvailableProducts', listAvailableProducts, '/ad_groups/{ad_group_id}/available_products', [
    'adGroups',
    'products',
  ]),
  reportRoute('submitReport', OPERATIONS.submitReport, 'POST'),
  reportRoute('getReport', OPERATIONS.getReport, 'GET'),
  routeOf('getJwt', OPERATIONS.getJwt, '/jwt', [], { access: ['readPublicKey', 'sign'] }),
  routeOf('getJwtClaims', OPERATIONS.getJwtClaims, '/jwt/claims', []),
  routeOf('getJwks', OPERATIONS.getJwks, '/.well-known/jwks.json', 'none'),
];

/** The tools for agents. Their protocol has operations of its own behind one path, so the path is none of the OpenAPI document, from which clients are generated. */
export const MCP: FunctionRoute = {
  ...{ id: 'serveMcp', method: 'POST', path: '/mcp', function: 'serve-mcp', access: ['readPublicKey'] },
  reads: ['owners', 'accounts', 'advertisers', 'columnsWithData', 'dimensions', 'facts', 'rollups', 'shards'],
  ...{ throttle: 'reportThrottle', memory: 1769, timeout: 28 },
};

/** One route of each function: routes of one function differ only in their methods. */
export const FUNCTION_ROUTES: readonly FunctionRoute[] = [
  ...ROUTES.filter((route) => ROUTES.find((other) => other.function === route.function) === route),
  MCP,
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
