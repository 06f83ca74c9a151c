import type * as z from 'zod/mini';
import { type Page, pageMeta } from '../contract/resources/listing.ts';
import type { Platform } from '../identity/platform.ts';
import { type EndpointRequest, endpoint } from './endpoint.ts';
import { listingBody } from './format/listing-body.ts';
import type { ApiHandler } from './message/api-request.ts';
import type { Input } from './parse-input.ts';

interface ListingSchemas {
  readonly path?: z.ZodMiniType;
  readonly query: z.ZodMiniType<Readonly<Record<string, unknown>>>;
}

/** The operation of the contract: its input, the schema of the items, whose members are the columns of the CSV, and the names of the parameters that page. */
interface ListingOperation<Schemas extends ListingSchemas> {
  readonly input: Schemas;
  readonly item: z.ZodMiniObject;
  readonly paging: { readonly offset: string; readonly size: string };
}

/** @returns the items of the page, and the number of all items that the caller may see */
type ReadPage<Schemas extends ListingSchemas> = (
  request: EndpointRequest<Input<Schemas>>,
  page: Page,
) => Promise<{ readonly items: readonly Readonly<Record<string, unknown>>[]; readonly total: number }>;

/**
 * @returns the Lambda handler of a listing, as JSON or CSV, with a Link to the next page if there is one. The link never contains the key.
 * @example export const create = (platform: Platform) => listing(platform, listContacts, async ({ table }, page) => … );
 */
export function listing<const Schemas extends ListingSchemas>(
  platform: Pick<Platform, 'identity' | 'table'>,
  { input, item, paging }: ListingOperation<Schemas>,
  read: ReadPage<Schemas>,
): ApiHandler {
  return endpoint(platform, {
    scope: 'metadata',
    formats: ['json', 'csv'],
    input,
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
