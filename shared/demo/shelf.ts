/** What one sub-commodity's products are made of: each product is a brand, a variant, this noun and a size. */
export interface SubCommodity {
  readonly name: string;
  readonly noun: string;
  readonly variants: readonly string[];
  readonly sizes: readonly string[];
  /** Shelf price of the smallest size, in cents. */
  readonly price: number;
}

export interface Commodity {
  readonly department: string;
  readonly name: string;
  /** Month (1–12) in which demand is highest. */
  readonly peakMonth: number;
  /** What shoppers search for, the most frequent first. */
  readonly keywords: readonly string[];
  readonly subCommodities: readonly SubCommodity[];
}

/** @param keywords joined by ", " */
export function commodity(
  department: string,
  name: string,
  peakMonth: number,
  keywords: string,
  subCommodities: readonly SubCommodity[],
): Commodity {
  return { department, name, peakMonth, keywords: keywords.split(', '), subCommodities };
}

/** @param sizes joined by ", ", the smallest first @param variants joined by ", " */
export function sub(name: string, noun: string, price: number, sizes: string, variants: string): SubCommodity {
  return { name, noun, price, sizes: sizes.split(', '), variants: variants.split(', ') };
}
