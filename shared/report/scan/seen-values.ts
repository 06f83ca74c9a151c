import { closedValuesOf } from '../../catalog/closed-values.ts';
import { type DimensionName, dimensionOf, isDimension } from '../../catalog/dimensions.ts';
import type { MetricName } from '../../catalog/metrics.ts';
import type { KeyValue } from '../../columns/column.ts';
import { compareText } from '../../lib/compare-text.ts';
import { quoteValues } from '../plan/check-filters.ts';
import { EQUALITY, foldCase } from '../plan/conditions.ts';
import type { Joins } from '../plan/joins.ts';
import type { RowCondition } from '../plan/plan-report.ts';
import type { Filter, ReportWarning } from '../query/query.ts';
import { text, titles, warn } from '../query/warning.ts';

/** Fields with so few values that a warning can list those that occur. */
const LISTED: ReadonlySet<DimensionName | MetricName> = new Set(['conversion_source']);
/** A value whose length differs by more from that of a text is not compared with it. */
const MAX_DIFFERENCE = 8;

/** What the report's facts have of the texts that one field is compared with. */
interface Watch {
  /** The texts of the filters that have not occurred yet. */
  readonly missing: Set<string>;
  /** All texts of the filters, folded. */
  readonly foldedTexts: ReadonlySet<string>;
  /** The lengths of values that are compared with them. */
  readonly lengths: ReadonlySet<number>;
  /** The values that occur and are equal to a text of a filter when folded, by their folded text; of several, the first in order. */
  readonly near: Map<string, string>;
  /** The values that occur, of a field in LISTED. */
  readonly listed: Set<string> | undefined;
}

/**
 * Compares the texts in filters for equality with the values that the report's own facts have, while these are scanned anyway. Never add values of the
 * market: a warning would reveal what rivals buy.
 */
export class SeenValues {
  readonly #watches = new Map<DimensionName | MetricName, Watch>();

  constructor(filters: readonly Filter[]) {
    for (const [field, own] of Map.groupBy(filters.filter(isWatched), (filter) => filter.field)) {
      const texts = [...new Set(own.flatMap(({ values }) => values))];
      this.#watches.set(field, {
        missing: new Set(texts),
        foldedTexts: new Set(texts.map(fold)),
        lengths: new Set(texts.flatMap(similarLengths)),
        near: new Map(),
        listed: LISTED.has(field) ? new Set() : undefined,
      });
    }
  }

  /** @returns those fields of the conditions whose texts have not all occurred yet: the values of the others need not be looked at */
  pending(conditions: readonly RowCondition[]): readonly (DimensionName | MetricName)[] {
    const fields = conditions.flatMap((condition) => condition.fields.map(({ field }) => field));
    return fields.filter((field) => (this.#watches.get(field)?.missing.size ?? 0) > 0);
  }

  /** Records the value of a fact that the report may show. */
  add(field: DimensionName | MetricName, joins: Joins, advertiserId: number, base: KeyValue): void {
    const watch = this.#watches.get(field);
    const value = joins.valueOf(field, advertiserId, base);
    if (watch === undefined || typeof value !== 'string') return;
    watch.missing.delete(value);
    watch.listed?.add(value);
    if (!watch.lengths.has(value.length)) return;
    const folded = fold(value);
    if (!watch.foldedTexts.has(folded)) return;
    const near = watch.near.get(folded);
    if (near === undefined || compareText(value, near) < 0) watch.near.set(folded, value);
  }

  /** @returns one warning per field that is compared with texts that do not occur, where a near one does or all that occur can be listed */
  warnings(): ReportWarning[] {
    return [...this.#watches].flatMap(([field, { missing, near, listed }]) => {
      const isListed = listed !== undefined && listed.size > 0;
      const wrong = [...missing].filter((value) => isListed || near.has(fold(value)));
      if (wrong.length === 0) return [];
      const existing = [...new Set(wrong.flatMap((value) => near.get(fold(value)) ?? []))];
      const reason = isListed
        ? `: it is ${[...listed].sort().join(', ')}.`
        : ', where it differs in case, white space or composition: text is compared exactly.';
      const advice = existing.length === 0 ? '' : ` Did you mean ${quoteValues(existing)}?`;
      const where = text`${titles([field])} is never ${quoteValues(wrong)} in the facts of this report`;
      return [warn('VALUE_NOT_FOUND', [field], text`${where}${reason}${advice}`)];
    });
  }
}

/** @returns the text without white space, in lower case, and with compatible characters replaced (NFKC) */
function fold(text: string): string {
  return foldCase(text.normalize('NFKC')).replaceAll(/\s+/g, '');
}

function similarLengths({ length }: string): number[] {
  return Array.from({ length: 2 * MAX_DIFFERENCE + 1 }, (_, i) => length - MAX_DIFFERENCE + i);
}

/** Attributes are not watched, because their values are closed sets or not texts; nor are UPCs, which have no case. */
function isWatched({ field, operator }: Filter): boolean {
  if (!EQUALITY.has(operator) || !isDimension(field) || closedValuesOf(field) !== undefined) return false;
  const { type, digits } = dimensionOf(field);
  return type === 'text' && digits === undefined;
}
