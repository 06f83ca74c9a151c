import { closedValuesOf } from '../../catalog/closed-values.ts';
import { type DimensionName, dimensionOf, isDimension } from '../../catalog/dimensions.ts';
import type { MetricName } from '../../catalog/metrics.ts';
import { isPattern, type Operator } from '../../catalog/operators.ts';
import type { KeyValue } from '../../columns/column.ts';
import { compareText } from '../../lib/compare-text.ts';
import { type BaseTest, compileText, EQUALITY, foldCase, rememberResults } from '../plan/conditions.ts';
import type { Joins } from '../plan/joins.ts';
import { dependsOnAdvertiser, padValues, type RowCondition } from '../plan/plan-report.ts';
import type { Filter } from '../query/query.ts';

/** Fields with so few values that a warning can list those that occur. */
const LISTED: ReadonlySet<DimensionName | MetricName> = new Set(['conversion_source']);
/** A value whose length differs by more from that of a text is not compared with it. */
const MAX_DIFFERENCE = 8;

/** What the report's facts have of the values that one field is compared with. */
interface Watch {
  readonly filters: readonly Filter[];
  /** What filters for equality compare with and has not occurred yet, and the patterns, by `patternKey`, that nothing has matched. */
  readonly missing: Set<KeyValue>;
  readonly patterns: Map<string, (folded: string) => boolean>;
  /** Records the value that the field has for a base value, once. */
  readonly record: BaseTest;
  /** All texts of the filters for equality, folded. */
  readonly foldedTexts: ReadonlySet<string>;
  /** The lengths of values that are compared with them. */
  readonly lengths: ReadonlySet<number>;
  /** The values that occur and are equal to a text of a filter when folded, by their folded text; of several, the first in order. */
  readonly near: Map<string, string>;
  /** The values that occur, of a field in LISTED. */
  readonly listed: Set<string> | undefined;
  hasSeen: boolean;
}

/** The values that filters compare a field with and that do not occur. */
interface AbsentValues {
  readonly field: DimensionName | MetricName;
  /** Texts of which a near one occurs, or all that occur can be listed. */
  readonly wrong: readonly string[];
  /** Other values that match nothing, unless that leaves no row, which is explained. */
  readonly unknown: readonly string[];
  /** The near ones. */
  readonly existing: readonly string[];
  /** All that occur; none where they are not listed. */
  readonly all: readonly string[];
}

/**
 * Compares the values in filters with those that the report's own facts have, while these are scanned anyway. Never add values of the market: a warning
 * would reveal what rivals buy.
 */
export class SeenValues {
  readonly #watches = new Map<DimensionName | MetricName, Watch>();
  readonly #hasTextIds: boolean;

  /** @param hasTextIds whether product ids are any text */
  constructor(filters: readonly Filter[], hasTextIds = false) {
    this.#hasTextIds = hasTextIds;
    for (const [field, own] of Map.groupBy(filters.filter(isWatched), (filter) => filter.field)) {
      const equal = own.filter(({ operator }) => EQUALITY.has(operator));
      const texts = equal.flatMap(({ values }) => values);
      const watch: Watch = {
        filters: own,
        missing: new Set(equal.flatMap((filter) => filter.values.flatMap((value) => this.#keysOf(filter, value)))),
        patterns: new Map(own.flatMap(patternsOf)),
        record: rememberResults((values, advertiserId, base) => {
          recordValue(watch, values.valueOf(field, advertiserId, base));
          return true;
        }, dependsOnAdvertiser(field)),
        foldedTexts: new Set(texts.map(fold)),
        lengths: new Set(texts.flatMap(similarLengths)),
        near: new Map(),
        listed: LISTED.has(field) ? new Set() : undefined,
        hasSeen: false,
      };
      this.#watches.set(field, watch);
    }
  }

  /** @returns those fields of the conditions with values that nothing has matched yet: the values of the others need not be looked at */
  pending(conditions: readonly RowCondition[]): readonly (DimensionName | MetricName)[] {
    const fields = conditions.flatMap((condition) => condition.fields.map(({ field }) => field));
    return fields.filter((field) => {
      const watch = this.#watches.get(field);
      return watch !== undefined && watch.missing.size + watch.patterns.size > 0;
    });
  }

  /** Records the value of a fact that the report may show. */
  add(field: DimensionName | MetricName, joins: Joins, advertiserId: number, base: KeyValue): void {
    this.#watches.get(field)?.record(joins, advertiserId, base);
  }

  /** @returns per field, what its filters compare with and facts do not have */
  absent(): AbsentValues[] {
    return [...this.#watches].map(([field, { filters, missing, patterns, near, listed, hasSeen }]) => {
      const isListed = listed !== undefined && listed.size > 0;
      const wrong = new Set<string>();
      const unknown = new Set<string>();
      for (const filter of filters) {
        const { operator, values } = filter;
        const isEquality = EQUALITY.has(operator);
        const unmatched = values.filter((value) =>
          isEquality
            ? this.#keysOf(filter, value).every((key) => missing.has(key))
            : patterns.has(patternKey(operator, value)),
        );
        const isNamed = hasSeen && (isNegative(filter) || unmatched.length < values.length);
        for (const value of unmatched) {
          if (isEquality && (isListed || near.has(fold(value)))) wrong.add(value);
          else if (isNamed) unknown.add(value);
        }
      }
      const existing = [...new Set([...wrong].flatMap((value) => near.get(fold(value)) ?? []))];
      return { field, wrong: [...wrong], unknown: [...unknown], existing, all: isListed ? [...listed].sort() : [] };
    });
  }

  /** @returns the values of the field that are equal to the filter's: of a UPC, with and without leading zeros */
  #keysOf(filter: Filter, value: string): readonly KeyValue[] {
    if (isDimension(filter.field) && dimensionOf(filter.field).type === 'integer') return [Number(value)];
    return this.#hasTextIds ? [value] : padValues({ ...filter, values: [value] }).values;
  }
}

const patternKey = (operator: Operator, value: string): string => `${operator} ${value}`;

function patternsOf({ operator, values }: Filter) {
  if (!isPattern(operator)) return [];
  return values.map((value) => [patternKey(operator, value), compileText(value, operator)] as const);
}

function recordValue(watch: Watch, value: KeyValue): void {
  const { missing, patterns, near } = watch;
  watch.hasSeen = true;
  missing.delete(value);
  const lower = patterns.size === 0 || value === null ? undefined : foldCase(String(value));
  if (lower !== undefined) for (const [key, matches] of patterns) if (matches(lower)) patterns.delete(key);
  if (typeof value !== 'string') return;
  watch.listed?.add(value);
  if (!watch.lengths.has(value.length)) return;
  const folded = fold(value);
  if (!watch.foldedTexts.has(folded)) return;
  const known = near.get(folded);
  if (known === undefined || compareText(value, known) < 0) near.set(folded, value);
}

/** @returns the text without white space, in lower case, and with compatible characters replaced (NFKC) */
function fold(text: string): string {
  return foldCase(text.normalize('NFKC')).replaceAll(/\s+/g, '');
}

function similarLengths({ length }: string): number[] {
  return Array.from({ length: 2 * MAX_DIFFERENCE + 1 }, (_, i) => length - MAX_DIFFERENCE + i);
}

const isNegative = ({ operator }: Filter): boolean => operator.startsWith('NOT_');

/**
 * Attributes are not watched, because their values are closed sets or numbers. Nor is the only value of a filter that selects what it matches, unless it is a
 * text that may have a near one: UPCs have no case.
 */
function isWatched(filter: Filter): boolean {
  const { field, operator, values } = filter;
  const isEquality = EQUALITY.has(operator);
  if (!isDimension(field) || closedValuesOf(field) !== undefined || !(isEquality || isPattern(operator))) return false;
  const { type, digits } = dimensionOf(field);
  return values.length > 1 || isNegative(filter) || (isEquality && type === 'text' && digits === undefined);
}
