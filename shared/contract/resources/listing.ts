import * as z from 'zod/mini';
import type { ProblemCode } from '../../lib/errors.ts';
import { described } from '../described.ts';
import { accountIdParameter, integerParameter, listingFormatParameter } from '../parameters.ts';

/** What all metadata listings have in their query: a page, and its format. */
export const listingParameters = {
  offset: integerParameter({
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
    fallback: 0,
    description: 'Number of items to skip. After the last item the page is empty.',
    examples: [0, 10],
  }),
  size: integerParameter({
    minimum: 1,
    maximum: 100,
    fallback: 10,
    description: 'Maximum number of items on the page.',
    examples: [10, 100],
  }),
  format: listingFormatParameter,
} as const;

/** The query of a listing of what one of the caller's accounts has. */
export const ACCOUNT_QUERY = z.object({ account_id: accountIdParameter, ...listingParameters });

/** What the descriptions of listings that are read through views say of it. */
export const AS_OF_VIEW =
  'The data is as of your last successful `GET /metadata/accounts`, or newer if that was more than 30 days ago; after an update, call that endpoint to see the changes.';

/** The names of offset and size in the queries of the metadata listings. */
const METADATA_PAGING = { offset: 'offset', size: 'size' } as const;

/** A page of a listing: the `size` items from `offset` on. */
export interface Page {
  readonly offset: number;
  readonly size: number;
}

export const PageMeta = z
  .strictObject({
    page: z
      .strictObject({
        offset: z.int().check(z.minimum(0), described('Number of items before this page.', 0)),
        size: z.int().check(z.minimum(1), described('Requested number of items; the last page may have fewer.', 10)),
        total: z.int().check(z.minimum(0), described('Number of items on all pages.', 2)),
        hasMore: z.boolean().check(described('Whether there are items after this page.')),
      })
      .check(described('Position of this page in the listing.')),
  })
  .check(z.meta({ id: 'PageMeta', description: 'Metadata of the page.' }));

/** @returns the `meta` of a page of a listing with `total` items */
export function pageMeta({ offset, size }: Page, total: number): z.infer<typeof PageMeta> {
  return { page: { offset, size, total, hasMore: offset + size < total } };
}

interface ListingDescription<Query extends z.ZodMiniObject> {
  /** What is listed: the plural, in lower case. */
  readonly items: string;
  readonly query: Query;
  readonly summary: string;
  readonly description: string;
}

/**
 * @returns the operation of a metadata listing, for its handler and the OpenAPI document: input, schemas of an item and of the response, and the possible
 * problems, among them those of an account or an advertiser in the query
 */
export function listingOf<Item extends z.ZodMiniObject, Query extends z.ZodMiniObject>(
  item: Item,
  { items, query, ...texts }: ListingDescription<Query>,
) {
  const { account_id, advertiser_id } = query.shape;
  const problems: ProblemCode[] = ['NOT_ACCEPTABLE', 'INVALID_REQUEST', 'PAGE_TOO_LARGE'];
  if (account_id !== undefined) problems.push('ACCOUNT_FORBIDDEN');
  if (advertiser_id !== undefined) problems.push('ADVERTISER_FORBIDDEN');
  return {
    ...texts,
    tag: 'Metadata',
    input: { query },
    item,
    response: listResponse(items, item),
    paging: METADATA_PAGING,
    paged: true,
    formats: ['csv'],
    problems,
  } as const;
}

/** @returns the schema of a page of items, whose name in the contract is that of the item with `Response` */
export function listResponse<Item extends z.ZodMiniObject>(items: string, item: Item) {
  return z
    .strictObject({
      data: z.array(item).check(described(`The ${items} of the requested page.`)),
      meta: PageMeta,
    })
    .check(z.meta({ id: `${z.globalRegistry.get(item)?.id}Response`, description: `A page of ${items}.` }));
}
