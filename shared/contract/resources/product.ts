import * as z from 'zod/mini';
import { described } from '../described.ts';
import { idParameter, integerParameter, listingFormatParameter } from '../parameters.ts';
import { listResponse } from './listing.ts';

const price = (description: string, example: number) =>
  z.optional(z.number().check(z.minimum(0), described(description, example)));

export const Product = z
  .strictObject({
    id: z.int().check(described('Id of the product.', 8001)),
    upc: z
      .string()
      .check(described('UPC of 13 or 14 digits, or another id of the product, as loaded.', '0001111041700')),
    name: z.string().check(described('Name of the product.', 'Saltlark Sea Salt Chips, 8 oz')),
    brand: z.optional(z.string().check(described('Brand of the product.', 'Saltlark'))),
    category: z.optional(z.string().check(described('Category of the product.', 'Snacks'))),
    subcategory: z.optional(z.string().check(described('Subcategory of the product.', 'Chips'))),
    price: price('Shelf price, in the platform’s currency.', 3.49),
    minSuggestedBid: price('Minimum suggested bid, in the platform’s currency.', 0.4),
    maxSuggestedBid: price('Maximum suggested bid, in the platform’s currency.', 0.9),
    imageUrl: z.optional(
      z.string().check(described('URL of an image.', 'https://images.example.com/0001111041700.jpg')),
    ),
    available: z.boolean().check(described('Whether the product can currently be advertised.', true)),
  })
  .check(z.meta({ id: 'Product', description: 'A product of the ad group.' }));

export const listAvailableProducts = {
  input: {
    path: z.object({
      ad_group_id: idParameter({
        description:
          'Id of one of your ad groups. For any other id the response is 404, whether or not the ad group exists.',
        examples: [70001],
      }),
    }),
    query: z.object({
      item_offset: integerParameter({
        minimum: 0,
        maximum: Number.MAX_SAFE_INTEGER,
        fallback: 0,
        description: 'Number of products to skip. After the last product the page is empty.',
        examples: [0, 100],
      }),
      page_size: integerParameter({
        minimum: 100,
        maximum: 100,
        fallback: 100,
        description: 'Maximum number of products on the page; 100 is the only allowed value.',
        examples: [100],
      }),
      format: listingFormatParameter,
    }),
  },
  tag: 'Products',
  summary: 'List the products of an ad group',
  description:
    'Returns the products of the ad group, sorted by id; `available` says whether a product can currently be advertised.',
  item: Product,
  response: listResponse('products', Product),
  paging: { offset: 'item_offset', size: 'page_size' },
  paged: true,
  formats: ['csv'],
  problems: ['NOT_ACCEPTABLE', 'INVALID_REQUEST', 'AD_GROUP_NOT_FOUND'],
} as const;
