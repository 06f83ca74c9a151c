import type { Result } from '../service/use-result.ts';

/** Characters of a part that somebody chose or typed. */
const MAX_PART = 32;

interface NameInput {
  readonly result: Pick<Result, 'question' | 'request' | 'page'>;
  readonly owners: string;
}

/**
 * @returns a name without an extension:
 * `endcap-pla-all-3-accounts-campaign_name-2026-02-02-2026-03-01-data-2026-03-01`; filters and the compared dates
 * follow those of the period
 */
export function fileNameOf({ result: { question, request, page }, owners }: NameInput): string {
  const { startDate, endDate, dimensions, filters } = request;
  const { compared: other } = page.meta;
  const against = other !== undefined ? ['against', other.startDate, other.endDate] : [];
  const conditions = filters.map(({ field, operator, values }) => shorten([field, operator, ...values].join(' ')));
  const data = page.meta.dataCompleteThrough ?? 'none';
  const scope = ['endcap', question.experience, shorten(owners), ...dimensions];
  return [...scope, startDate, endDate, ...against, ...conditions, 'data', data].join('-');
}

/** @returns the letters and digits of the text, with hyphens between words */
function shorten(text: string): string {
  const words = text.toLowerCase().replace(/[^\p{L}\p{N}_.]+/gu, '-');
  return words.slice(0, MAX_PART).replace(/^[-.]+|[-.]+$/g, '');
}
