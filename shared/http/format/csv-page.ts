import type * as z from 'zod/mini';
import type { PageMeta } from '../../contract/resources/paging.ts';
import type { HandlerResult } from '../json-response.ts';
import { type CsvColumn, toCsv } from './csv.ts';
import { pageHeaders } from './file-headers.ts';
import { contentTypeOf, type Representation } from './negotiate.ts';

/** The body of a page of a listing. */
export interface ListingPage {
  readonly data: readonly Readonly<Record<string, unknown>>[];
  readonly meta: z.infer<typeof PageMeta>;
}

/** @returns the listing's response as CSV, with the members of `item` as columns, if that is its representation */
export function listingResponse(
  { body, headers, ...result }: HandlerResult,
  representation: Representation,
  item: z.ZodMiniObject,
): HandlerResult {
  if (representation.format !== 'csv') return { ...result, body, ...(headers && { headers }) };
  if (!isListingPage(body)) throw new TypeError('the endpoint has a schema of items, but its body is not a page');
  const columns = Object.entries(item.shape).map(([name, member]) => ({ name, type: typeOf(member) }));
  return {
    body: toCsv(columns, body.data, representation),
    contentType: contentTypeOf(representation),
    headers: { ...pageHeaders(body.meta.page), ...headers },
  };
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
