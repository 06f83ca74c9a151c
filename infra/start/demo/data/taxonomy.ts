import taxonomy from './taxonomy.json' with { type: 'json' };

/**
 * The commodities that the demo's advertisers sell. `peakMonth` (1–12) has the highest demand, and the most frequent of the keywords that shoppers search for
 * comes first. A product of a sub-commodity is one brand, one variant, the noun and one size, the smallest first; `priceInCents` is the shelf price of the
 * smallest, which products vary at random and round.
 */
export const COMMODITIES = taxonomy;
export type Commodity = (typeof COMMODITIES)[number];

const DEPARTMENTS = [...new Set(COMMODITIES.map((commodity) => commodity.department))];

/** @returns ids of two digits per level: department, department and commodity, all three levels */
export function taxonomyIds(commodity: Commodity, subCommodity: Commodity['subCommodities'][number]) {
  const departmentId = twoDigits(DEPARTMENTS.indexOf(commodity.department) + 1);
  const commodityId = departmentId + twoDigits(COMMODITIES.indexOf(commodity) + 1);
  const subCommodityId = commodityId + twoDigits(commodity.subCommodities.indexOf(subCommodity) + 1);
  return { departmentId, commodityId, subCommodityId };
}

/** @throws Error if the taxonomy has no commodity of that name */
export function findCommodity(name: string): Commodity {
  const found = COMMODITIES.find((commodity) => commodity.name === name);
  if (found === undefined) throw new Error(`the taxonomy has no commodity ${name}`);
  return found;
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0');
}
