import { pageMeta } from '../contract/resources/paging.ts';
import type { Answer } from './json-response.ts';

/**
 * @param path as the client called it
 * @param query the validated parameters, by the contract's names
 * @param names which of them are the page's offset and size
 * @returns the list response, and a Link to the next page where one follows. The link never has the key.
 */
export function pageResponse<Name extends string>(
  path: string,
  query: Readonly<Record<Name, number>>,
  names: { readonly offset: NoInfer<Name>; readonly size: NoInfer<Name> },
  found: { readonly items: readonly object[]; readonly total: number },
): Answer {
  const page = { offset: query[names.offset], size: query[names.size] };
  const meta = pageMeta(page, found.total);
  const body = { data: found.items, meta };
  if (!meta.page.hasMore) return { body };
  const parameters = Object.entries({ ...query, [names.offset]: page.offset + page.size });
  const next = parameters.map(([name, value]) => `${name}=${value}`).join('&');
  return { body, headers: { Link: `<${path}?${next}>; rel="next"` } };
}
