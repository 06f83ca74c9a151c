import type * as z from 'zod/mini';
import type { PageMeta } from '../../contract/resources/paging.ts';
import { ApiError } from '../../lib/errors.ts';
import type { HandlerResult } from '../message/json-response.ts';
import { contentTypeOf, type Representation } from '../message/negotiate.ts';
import { type CsvColumn, toCsv } from './csv.ts';
import { pageHeaders } from './file-headers.ts';
import { MAX_BYTES_PER_UNIT, MAX_RESPONSE_BYTES, sizeInResponse } from './response-size.ts';

/** The body of a page of a listing. */
export interface ListingPage {
  readonly data: readonly Readonly<Record<string, unknown>>[];
  readonly meta: z.infer<typeof PageMeta>;
}

/**
 * @returns the listing's response as JSON or CSV, as `representation` says; the members of `item` are the columns of the CSV
 * @throws ApiError PAGE_TOO_LARGE if it exceeds MAX_RESPONSE_BYTES, with a page size that fits: contacts may have 150,000 bytes of account ids each
 */
export function listingResponse(
  { body: page, headers }: HandlerResult,
  representation: Representation,
  item: z.ZodMiniObject,
): HandlerResult {
  if (!isListingPage(page)) throw new TypeError('the endpoint has a schema of items, but its body is not a page');
  const write = (data: ListingPage['data']) =>
    representation.format === 'csv' ? toCsv(columnsOf(item), data, representation) : JSON.stringify({ ...page, data });
  const body = write(page.data);
  if (!fits(body)) {
    let size = page.data.length >> 1;
    while (size > 1 && !fits(write(page.data.slice(0, size)))) size >>= 1;
    throw pageTooLarge(Math.max(1, size));
  }
  const fileHeaders = representation.format === 'csv' ? pageHeaders(page.meta.page) : {};
  return { body, contentType: contentTypeOf(representation), headers: { ...fileHeaders, ...headers } };
}

/** Most bodies fit even if each code unit takes the most bytes. */
function fits(body: string | Buffer): boolean {
  return body.length * MAX_BYTES_PER_UNIT <= MAX_RESPONSE_BYTES || sizeInResponse(body) <= MAX_RESPONSE_BYTES;
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

function isListingPage(body: HandlerResult['body']): body is ListingPage {
  return typeof body === 'object' && 'data' in body && 'meta' in body;
}
