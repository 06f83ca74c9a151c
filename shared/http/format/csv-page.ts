import type * as z from 'zod/mini';
import type { PageMeta } from '../../contract/resources/paging.ts';
import type { HandlerResult } from '../json-response.ts';
import { toCsv } from './csv.ts';
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
  const columns = Object.keys(item.shape).map((name) => ({ name, isDate: false }));
  return {
    body: toCsv(columns, body.data, representation),
    contentType: contentTypeOf(representation),
    headers: { ...pageHeaders(body.meta.page), ...headers },
  };
}

function isListingPage(body: HandlerResult['body']): body is ListingPage {
  return typeof body === 'object' && 'data' in body && 'meta' in body;
}
