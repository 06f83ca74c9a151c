import { type KeyColumn, type Measure, SPLIT_MEASURES } from '../../catalog/tables.ts';
import type { FactRows } from '../../columns/build-day.ts';
import type { KeyValue } from '../../columns/column.ts';

/** What ad groups advertise. */
export interface AdvertisedProducts {
  /** The UPCs of the products of each advertiser. */
  readonly products: ReadonlyMap<number, ReadonlySet<string>>;
  /** The UPCs of the products of each ad group that does not have all of its advertiser. */
  readonly chosenProducts: ReadonlyMap<number, ReadonlySet<string>>;
}

/**
 * Compares the purchased product with the advertised one: that of the row, or where it has none, any product of the ad group.
 * @returns the direct and other parts of the measures, 0 in rows with an unknown product; none for tables without purchases
 */
export function splitPurchases(
  { rows, keys, measures }: Pick<FactRows, 'rows' | 'keys' | 'measures'>,
  advertisers: Float64Array,
  { products, chosenProducts }: AdvertisedProducts,
): Map<Measure, Float64Array> {
  if (!keys.has('purchased_entity_id')) return new Map();
  const keyOf = (name: KeyColumn, row: number): KeyValue => {
    const { dictionary, codes } = keys.get(name) ?? { dictionary: [], codes: [] };
    return dictionary[codes[row] ?? 0] ?? null;
  };
  const partOf = (row: number): 'direct' | 'other' | undefined => {
    const purchased = keyOf('purchased_entity_id', row);
    const advertised = keyOf('entity_id', row);
    if (purchased === null) return undefined;
    if (advertised !== null) return purchased === advertised ? 'direct' : 'other';
    const own = chosenProducts.get(Number(keyOf('ad_group_id', row))) ?? products.get(advertisers[row] ?? 0);
    if (own === undefined || own.size === 0) return undefined;
    return own.has(String(purchased)) ? 'direct' : 'other';
  };
  const parts = Array.from({ length: rows }, (_, row) => partOf(row));
  return new Map(
    SPLIT_MEASURES.flatMap((split) =>
      (['direct', 'other'] as const).map((part): [Measure, Float64Array] => {
        const whole = measures.get(split.whole);
        return [split[part], Float64Array.from(parts, (own, row) => (own === part ? (whole?.[row] ?? 0) : 0))];
      }),
    ),
  );
}
