import * as z from 'zod/mini';
import { integerParameter } from '../parameters.ts';

/** The paging parameters of the metadata listings, as members of their query. */
export const pagingParameters = {
  offset: integerParameter({
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
    fallback: 0,
    description: 'How many items to skip. Past the last item the page is empty.',
    examples: [0, 10],
  }),
  size: integerParameter({
    minimum: 1,
    maximum: 100,
    fallback: 10,
    description: 'How many items to answer at most.',
    examples: [10, 100],
  }),
} as const;

/** How the queries of the metadata listings name the page's offset and size. */
export const METADATA_PAGING = { offset: 'offset', size: 'size' } as const;

/** Which items of a listing are asked for: the `size` items from `offset` on. */
export interface Page {
  readonly offset: number;
  readonly size: number;
}

export const PageMeta = z
  .strictObject({
    page: z
      .strictObject({
        offset: z.int().check(z.minimum(0), z.meta({ description: 'Items before this page.', examples: [0] })),
        size: z
          .int()
          .check(
            z.minimum(1),
            z.meta({ description: 'Items asked for; the last page may have fewer.', examples: [10] }),
          ),
        total: z.int().check(z.minimum(0), z.meta({ description: 'Items on all pages.', examples: [2] })),
        hasMore: z.boolean().check(z.meta({ description: 'Whether items follow this page.' })),
      })
      .check(z.meta({ description: 'Where this page lies in the listing.' })),
  })
  .check(z.meta({ id: 'PageMeta', description: 'Metadata of the page.' }));

/** @returns the `meta` of a page out of a listing of `total` items. */
export function pageMeta({ offset, size }: Page, total: number): z.infer<typeof PageMeta> {
  return { page: { offset, size, total, hasMore: offset + size < total } };
}

/** @returns the list response with items of the given kind, under the contract's name for it. */
export function listResponse<Item extends z.core.$ZodType>(id: string, items: string, item: Item) {
  return z
    .strictObject({
      data: z.array(item).check(z.meta({ description: `The ${items} of the requested page.` })),
      meta: PageMeta,
    })
    .check(z.meta({ id, description: `A page of ${items}.` }));
}
