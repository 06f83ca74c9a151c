import * as z from 'zod/mini';
import { described } from '../described.ts';
import { integerParameter } from '../parameters.ts';

/** The paging parameters of the metadata listings, as members of their query. */
export const pagingParameters = {
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
} as const;

/** The names of offset and size in the queries of the metadata listings. */
export const METADATA_PAGING = { offset: 'offset', size: 'size' } as const;

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

/** @returns the schema of a list response; `id` is its name in the contract */
export function listResponse<Item extends z.core.$ZodType>(id: string, items: string, item: Item) {
  return z
    .strictObject({
      data: z.array(item).check(described(`The ${items} of the requested page.`)),
      meta: PageMeta,
    })
    .check(z.meta({ id, description: `A page of ${items}.` }));
}
