import { didYouMean } from '../../../../shared/catalog/describe/suggest.ts';
import { COMPARISON_NAMES } from '../../../../shared/lib/compared-period.ts';
import type { Compare } from '../../../../shared/web/client/client.ts';

/** What may name a compared period, as messages put it. */
export const COMPARE_FORMS = `${COMPARISON_NAMES.join(', ')}, or two days, which may be relative: 2025-11-01..2025-11-30`;

/** @returns the period to compare with. @throws Error that names what is accepted */
export function readCompare(text: string): Compare {
  const named = COMPARISON_NAMES.find((name) => name.toLowerCase() === text.toLowerCase());
  if (named !== undefined) return named;
  const [startDate, endDate, ...rest] = text.split('..');
  if (startDate && endDate && rest.length === 0) return { startDate, endDate };
  throw new Error(
    `${text} is no period to compare with${didYouMean(text, COMPARISON_NAMES)}; it must be ${COMPARE_FORMS}`,
  );
}
