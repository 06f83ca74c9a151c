import type * as z from 'zod/mini';
import type { ProblemCode } from '../../lib/errors.ts';
import { submitReportInput } from '../report/report-request.ts';
import { ReportResultResponse } from '../report/report-response.ts';
import { AccountResponse, listAccountsInput } from '../resources/account.ts';
import { AdvertiserAddressResponse, listAddressesInput } from '../resources/address.ts';
import { AdvertiserResponse, listAdvertisersInput } from '../resources/advertiser.ts';
import { AdvertiserContactResponse, listContactsInput } from '../resources/contact.ts';
import { getJwtInput, TokenClaims, TokenResponse } from '../resources/jwt.ts';
import { listPlacementsInput, PlacementResponse } from '../resources/placement.ts';
import { listAvailableProductsInput, ProductResponse } from '../resources/product.ts';

/** What the OpenAPI document says of one operation, beside its path and method. */
export interface Operation {
  readonly summary: string;
  readonly description: string;
  readonly tag: 'Metadata' | 'Products' | 'Reports' | 'Tokens';
  readonly path?: z.ZodMiniObject;
  readonly query?: z.ZodMiniObject;
  readonly body?: z.ZodMiniType;
  /** Schema of the answer with status 200. */
  readonly answer: z.ZodMiniType;
  /** Whether that answer may carry a Link to a next page. */
  readonly paged: boolean;
  /** Problems beside those that every operation may answer. */
  readonly problems: readonly ProblemCode[];
}

const listing = { tag: 'Metadata', paged: true, problems: ['INVALID_REQUEST'] } as const;
const accountListing = { ...listing, problems: ['INVALID_REQUEST', 'ACCOUNT_FORBIDDEN'] } as const;
const AS_OF_VIEW =
  'They are those of your last successful `GET /metadata/accounts`: after an update, call that to see what has changed.';

/** The operations of the contract by the ids of their routes. */
export const OPERATIONS: Readonly<Record<string, Operation>> = {
  listAccounts: {
    ...listing,
    ...listAccountsInput,
    summary: 'List accounts',
    description:
      'Returns the available accounts, by id. Call it after contacts or addresses change, to refresh the cache: from the next read on they are fresh.',
    answer: AccountResponse,
  },
  listAdvertisers: {
    ...accountListing,
    ...listAdvertisersInput,
    summary: 'List the advertisers of an account',
    description: 'Returns the advertisers of the given account, by id.',
    answer: AdvertiserResponse,
  },
  listContacts: {
    ...accountListing,
    ...listContactsInput,
    summary: 'List the contacts of an account',
    description: `Returns the contacts of the given account, by id. ${AS_OF_VIEW}`,
    answer: AdvertiserContactResponse,
  },
  listAddresses: {
    ...accountListing,
    ...listAddressesInput,
    summary: 'List the addresses of an account',
    description: `Returns the addresses of the given account, by id. Agency users get agency and CPG addresses, CPG users CPG addresses only. ${AS_OF_VIEW}`,
    answer: AdvertiserAddressResponse,
  },
  listPlacements: {
    ...listing,
    ...listPlacementsInput,
    summary: 'List placements',
    description: 'Returns all available placements, by id.',
    answer: PlacementResponse,
  },
  listAvailableProducts: {
    ...listAvailableProductsInput,
    tag: 'Products',
    summary: 'List the products of an ad group',
    description: 'Returns the products that the ad group can advertise, by id.',
    answer: ProductResponse,
    paged: true,
    problems: ['INVALID_REQUEST', 'AD_GROUP_NOT_FOUND'],
  },
  submitReport: {
    ...submitReportInput,
    tag: 'Reports',
    summary: 'Submit a report',
    description:
      'Submits a report for product listing ads and the other experiences, and answers it at once. Rows are sorted as asked, ties by all dimensions ' +
      'ascending, so pages neither overlap nor skip. A sum without facts is 0; null means no meaning here, or divided by zero.',
    answer: ReportResultResponse,
    paged: false,
    problems: [
      'MALFORMED_JSON',
      'ADVERTISER_FORBIDDEN',
      'PAYLOAD_TOO_LARGE',
      'UNSUPPORTED_MEDIA_TYPE',
      'INVALID_REQUEST',
      'PAGE_TOO_LARGE',
      'REPORT_TOO_EXPENSIVE',
    ],
  },
  getJwt: {
    ...getJwtInput,
    tag: 'Tokens',
    summary: 'Get a JWT',
    description:
      'Returns a new JWT of the caller, valid for an hour. Any operation verifies one that is sent as `Authorization: Bearer`; it never replaces the key.',
    answer: TokenResponse,
    paged: false,
    problems: [],
  },
  getJwtClaims: {
    ...getJwtInput,
    tag: 'Tokens',
    summary: 'Show the claims of the JWT',
    description:
      'Shows the claims of the JWT in `Authorization: Bearer` where one is sent, otherwise those that a JWT issued now would have.',
    answer: TokenClaims,
    paged: false,
    problems: [],
  },
};
