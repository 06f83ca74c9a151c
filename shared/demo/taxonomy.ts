import type { Commodity, SubCommodity } from './shelf.ts';
import { FRESH } from './shelf-fresh.ts';
import { GROCERY } from './shelf-grocery.ts';
import { HOUSEHOLD } from './shelf-household.ts';

/** Everything on the demo retailer's shelves, as far as its advertisers fill them. */
export const COMMODITIES: readonly Commodity[] = [...GROCERY, ...FRESH, ...HOUSEHOLD];

const DEPARTMENTS = [...new Set(COMMODITIES.map((commodity) => commodity.department))];

/** Ids of the taxonomy are digits: two for the department, two more for the commodity, two more for the sub-commodity. */
export function taxonomyIds(commodity: Commodity, subCommodity: SubCommodity) {
  const departmentId = twoDigits(DEPARTMENTS.indexOf(commodity.department) + 1);
  const commodityId = departmentId + twoDigits(COMMODITIES.indexOf(commodity) + 1);
  const subCommodityId = commodityId + twoDigits(commodity.subCommodities.indexOf(subCommodity) + 1);
  return { departmentId, commodityId, subCommodityId };
}

export function findCommodity(name: string): Commodity {
  const found = COMMODITIES.find((commodity) => commodity.name === name);
  if (found === undefined) throw new Error(`the taxonomy has no commodity ${name}`);
  return found;
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0');
}
