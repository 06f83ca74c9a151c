import type * as z from 'zod/mini';
import type { PageMeta } from '../../contract/resources/listing.ts';
import { ApiError } from '../../lib/errors.ts';
import type { HandlerResult } from '../message/json-response.ts';
import { contentTypeOf, type Representation } from '../message/negotiate.ts';
import { type CsvColumn, toCsv } from './csv.ts';
import { pageHeaders } from './file-headers.ts';
import { fittingSize, MAX_RESPONSE_BYTES, sizeInResponse } from './response-size.ts';

interface ListingPage {
  readonly data: readonly Readonly<Record<string, unknown>>[];
  readonly meta: z.infer<typeof PageMeta>;
}

/**
 * @returns the page as JSON or CSV, as `representation` says; the members of `item` are the columns of the CSV
 * @throws ApiError PAGE_TOO_LARGE if it exceeds MAX_RESPONSE_BYTES, with a smaller page size: contacts may have 150,000 bytes of account ids each
 */
export function listingBody(page: ListingPage, representation: Representation, item: z.ZodMiniObject): HandlerResult {
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
