import * as z from 'zod';
import taxonomy from './taxonomy.json' with { type: 'json' };

/** The products of a sub-commodity: each is one brand, one variant, the noun and one size. */
const SubCommodity = z.strictObject({
  name: z.string(),
  noun: z.string(),
  /** Shelf price of the smallest size, which products vary at random and round. */
  priceInCents: z.number(),
  /** The smallest size first. */
  sizes: z.array(z.string()),
  variants: z.array(z.string()),
});

const Commodity = z.strictObject({
  department: z.string(),
  name: z.string(),
  /** Month (1–12) with the highest demand. */
  peakMonth: z.int(),
  /** What shoppers search for, the most frequent keyword first. */
  keywords: z.array(z.string()),
  subCommodities: z.array(SubCommodity),
});

export type SubCommodity = z.infer<typeof SubCommodity>;
export type Commodity = z.infer<typeof Commodity>;

/** The commodities that the demo's advertisers sell. */
export const COMMODITIES = z.array(Commodity).parse(taxonomy);

const DEPARTMENTS = [...new Set(COMMODITIES.map((commodity) => commodity.department))];

/** @returns ids of two digits per level: department, department and commodity, all three levels */
export function taxonomyIds(commodity: Commodity, subCommodity: SubCommodity) {
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
