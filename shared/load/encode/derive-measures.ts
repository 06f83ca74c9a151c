import { type Measure, TABLES_WITH_SHOPPERS, UNIDENTIFIED } from '../../catalog/tables.ts';
import type { FactRows } from '../../columns/build-day.ts';
import { type AdvertisedProducts, splitPurchases } from './split-purchases.ts';

/** @returns the rows of the fact files, with the derived measures of their table */
export function deriveMeasures<Rows extends Omit<FactRows, 'rows'>>(
  facts: Rows & Pick<FactRows, 'rows'>,
  advertisers: Float64Array,
  products: AdvertisedProducts,
): Rows & { readonly measures: Map<Measure, Float64Array> } {
  const parts = splitPurchases(facts, advertisers, products);
  return { ...facts, measures: new Map([...facts.measures, ...parts, ...countUnidentified(facts)]) };
}

/** @returns what rows without shoppers have, which their sum with other rows no longer shows; negative numbers, which are returns, count as 0 */
function countUnidentified({ measures, shoppers }: FactRows): Map<Measure, Float64Array> {
  const { offsets = [] } = shoppers ?? {};
  return new Map(
    TABLES_WITH_SHOPPERS.flatMap((table) => {
      const { part, whole } = UNIDENTIFIED[table];
      const all = measures.get(whole);
      if (all === undefined) return [];
      return [[part, all.map((value, row) => (offsets[row] === offsets[row + 1] ? Math.max(0, value) : 0))] as const];
    }),
  );
}
