import type * as z from 'zod/mini';
import { type Page, type PageMeta, pageMeta } from '../contract/resources/listing.ts';
import type { Platform } from '../identity/platform.ts';
import { ApiError } from '../lib/errors.ts';
import { type EndpointRequest, endpoint } from './endpoint.ts';
import { fittingSize, MAX_RESPONSE_BYTES, sizeInResponse } from './format/content-coding.ts';
import { type CsvColumn, toCsv } from './format/csv.ts';
import { pageHeaders } from './format/file-headers.ts';
import type { ApiHandler } from './message/api-request.ts';
import type { HandlerResult } from './message/json-response.ts';
import { contentTypeOf, type Representation } from './message/negotiate.ts';
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

interface ListingPage {
  readonly data: readonly Readonly<Record<string, unknown>>[];
  readonly meta: z.infer<typeof PageMeta>;
}

/**
 * @returns the page as JSON or CSV, as `representation` says; the members of `item` are the columns of the CSV
 * @throws ApiError PAGE_TOO_LARGE if it exceeds MAX_RESPONSE_BYTES, with a smaller page size: contacts may have 150,000 bytes of account ids each
 */
function listingBody(page: ListingPage, representation: Representation, item: z.ZodMiniObject): HandlerResult {
  const body =
    representation.format === 'csv' ? toCsv(columnsOf(item), page.data, representation) : JSON.stringify(page);
  const bytes = sizeInResponse(body);
  if (bytes > MAX_RESPONSE_BYTES) throw pageTooLarge(fittingSize(page.data.length, bytes));
  const headers = representation.format === 'csv' ? pageHeaders(page.meta.page) : {};
  return { body, contentType: contentTypeOf(representation), headers };
}

function pageTooLarge(size: number): ApiError {
  const detail = `This page would have more than ${MAX_RESPONSE_BYTES} bytes. From this offset on, request a size of ${size} or less.`;
  return new ApiError('PAGE_TOO_LARGE', detail, {
    fields: [{ in: 'query', pointer: 'size', code: 'PAGE_TOO_LARGE', detail: `Must be ${size} or less here.` }],
  });
}

function columnsOf(item: z.ZodMiniObject): CsvColumn[] {
  return Object.entries(item.shape).map(([name, member]) => ({ name, type: typeOf(member) }));
}

/** @returns `date` or `decimal`, which have a form of their own in CSV; undefined for other types */
function typeOf(schema: z.core.$ZodType): CsvColumn['type'] {
  const { type, ...def } = schema._zod.def;
  if (type === 'optional' && 'innerType' in def) return typeOf(def.innerType as z.core.$ZodType); // an optional schema wraps one
  if (type === 'string') return 'format' in def && def.format === 'date' ? 'date' : undefined;
  return type === 'number' && !('format' in def) ? 'decimal' : undefined; // integers have a format
}
