import { type Page, pageMeta } from '../contract/resources/paging.ts';
import type { HandlerResult } from './message/json-response.ts';

/**
 * @param path as the client called it
 * @param query the parsed parameters, by the contract's names; their texts need no escaping in a URL
 * @param names the names of the parameters that hold the page's offset and size
 * @returns the list response, with a Link to the next page if there is one. The link never contains the key.
 */
export function pageResponse<Name extends string>(
  path: string,
  query: Readonly<Record<NoInfer<Name>, number>>,
  names: { readonly offset: Name; readonly size: Name },
  found: { readonly items: readonly object[]; readonly total: number },
): HandlerResult {
  const page = { offset: query[names.offset], size: query[names.size] };
  const meta = pageMeta(page, found.total);
  const body = { data: found.items, meta };
  if (!meta.page.hasMore) return { body };
  const parameters = Object.entries<unknown>({ ...query, [names.offset]: page.offset + page.size });
  const next = parameters.flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${value}`])).join('&');
  return { body, headers: { Link: `<${path}?${next}>; rel="next"` } };
}

/** @returns the page of a listing that is in memory as a whole */
export function slicePage<Item extends object>(
  items: readonly Item[],
  { offset, size }: Page,
): { readonly items: readonly Item[]; readonly total: number } {
  return { items: items.slice(offset, offset + size), total: items.length };
}
