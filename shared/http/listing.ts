import type * as z from 'zod/mini';
import { METADATA_PAGING, type Page, pageMeta } from '../contract/resources/paging.ts';
import type { Platform } from '../identity/platform.ts';
import { type EndpointRequest, endpoint } from './endpoint.ts';
import { listingBody } from './format/listing-body.ts';
import type { ApiHandler } from './message/api-request.ts';
import type { Input } from './parse-input.ts';

interface ListingSchemas {
  readonly path?: z.ZodMiniType;
  readonly query: z.ZodMiniType<Readonly<Record<string, unknown>>>;
}

interface ListingDefinition<Schemas extends ListingSchemas> {
  readonly input: Schemas;
  /** The schema of the items, whose members are the columns of the CSV. */
  readonly item: z.ZodMiniObject;
  /** The query parameter with the account of the listing, which must be one of the caller's. */
  readonly account?: 'account_id';
  /** The names of the query parameters with offset and size; absent = `offset` and `size`. */
  readonly paging?: { readonly offset: string; readonly size: string };
  /** @returns the items of the page, and the number of all items that the caller may see */
  readonly read: (
    request: EndpointRequest<Input<Schemas>>,
    page: Page,
  ) => Promise<{ readonly items: readonly Readonly<Record<string, unknown>>[]; readonly total: number }>;
}

/**
 * @returns the Lambda handler of a listing, as JSON or CSV, with a Link to the next page if there is one. The link never contains the key.
 * @example export const create = (platform: Platform) => listing(platform, { input: listContactsInput, item: Contact, account: 'account_id', read: async ({ table }, page) => … });
 */
export function listing<const Schemas extends ListingSchemas>(
  platform: Pick<Platform, 'identity' | 'table'>,
  { input, item, account, paging = METADATA_PAGING, read }: ListingDefinition<Schemas>,
): ApiHandler {
  return endpoint(platform, {
    scope: 'metadata',
    formats: ['json', 'csv'],
    input,
    ...(account === undefined ? {} : { account }),
    handle: async (request) => {
      const { representation, path } = request.context;
      const query: Readonly<Record<string, unknown>> = Object(request.input.query);
      const page = { offset: Number(query[paging.offset]), size: Number(query[paging.size]) };
      const { items, total } = await read(request, page);
      const meta = pageMeta(page, total);
      const { headers, ...body } = listingBody({ data: items, meta }, representation, item);
      const next = { ...query, [paging.offset]: page.offset + page.size };
      const link = meta.page.hasMore ? { Link: `<${path}?${toParameters(next)}>; rel="next"` } : {};
      return { ...body, headers: { ...headers, ...link } };
    },
  });
}

/** @param query parsed parameters, whose texts need no escaping in a URL */
function toParameters(query: Readonly<Record<string, unknown>>): string {
  return Object.entries(query)
    .flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${value}`]))
    .join('&');
}
