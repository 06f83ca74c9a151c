import { METADATA_PAGING, type PagingNames, pageMeta } from '../contract/paging.ts';
import type { Answer } from './json-response.ts';

/**
 * @param path as the client called it
 * @param query the validated parameters, by the contract's names
 * @returns the list response, and a Link to the next page where one follows. The link never has the key.
 */
export function listAnswer(
  path: string,
  query: Readonly<Record<string, number>>,
  found: { readonly items: readonly object[]; readonly total: number },
  names: PagingNames = METADATA_PAGING,
): Answer {
  const { offset = 0, size = 0 } = { offset: query[names.offset], size: query[names.size] };
  const meta = pageMeta({ offset, size }, found.total);
  const body = { data: found.items, meta };
  if (!meta.page.hasMore) return { body };
  const parameters = Object.entries({ ...query, [names.offset]: offset + size });
  const next = parameters.map(([name, value]) => `${name}=${value}`).join('&');
  return { body, headers: { Link: `<${path}?${next}>; rel="next"` } };
}
