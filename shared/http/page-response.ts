import { pageMeta } from '../contract/resources/paging.ts';
import type { HandlerResult } from './json-response.ts';

/**
 * @param path as the client called it
 * @param query the parsed parameters, by the contract's names
 * @param names the names of the parameters that hold the page's offset and size
 * @returns the list response, with a Link to the next page if there is one. The link never contains the key.
 */
export function pageResponse<Name extends string>(
  path: string,
  query: Readonly<Record<Name, number>>,
  names: { readonly offset: NoInfer<Name>; readonly size: NoInfer<Name> },
  found: { readonly items: readonly object[]; readonly total: number },
): HandlerResult {
  const page = { offset: query[names.offset], size: query[names.size] };
  const meta = pageMeta(page, found.total);
  const body = { data: found.items, meta };
  if (!meta.page.hasMore) return { body };
  const parameters = Object.entries({ ...query, [names.offset]: page.offset + page.size });
  const next = parameters.map(([name, value]) => `${name}=${value}`).join('&');
  return { body, headers: { Link: `<${path}?${next}>; rel="next"` } };
}
