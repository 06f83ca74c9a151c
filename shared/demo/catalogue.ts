import { ADVERTISERS, type Advertiser } from './network.ts';
import { createRandom } from './random.ts';
import type { Commodity, SubCommodity } from './shelf.ts';
import { findCommodity, taxonomyIds } from './taxonomy.ts';

/** A product as a row of the load file `products`; `entityGroup` is the line that its sizes belong to. */
export interface Product {
  readonly id: number;
  readonly advertiserId: number;
  readonly upc: string;
  readonly name: string;
  readonly brand: string;
  readonly category: string;
  readonly subcategory: string;
  readonly price: number;
  readonly minSuggestedBid: number;
  readonly maxSuggestedBid: number;
  readonly imageUrl: string;
  readonly available: boolean;
  readonly department: string;
  readonly departmentId: string;
  readonly commodity: string;
  readonly commodityId: string;
  readonly subCommodity: string;
  readonly subCommodityId: string;
  readonly entityGroup: string;
  readonly entityGroupId: string;
}

/** @returns the products of all advertisers, by advertiser and then by id, ascending. */
export function makeProducts(): Product[] {
  const products: Product[] = [];
  for (const advertiser of ADVERTISERS) {
    for (const line of linesOf(advertiser)) {
      line.subCommodity.sizes.forEach((size, step) => {
        products.push(makeProduct(500_001 + products.length, advertiser, line, size, step));
      });
    }
  }
  return products;
}

/** One variant of one brand; it is sold in several sizes. */
interface Line {
  readonly id: number;
  readonly brand: string;
  readonly commodity: Commodity;
  readonly subCommodity: SubCommodity;
  readonly variant: string;
}

function linesOf(advertiser: Advertiser): Line[] {
  const lines: Line[] = [];
  for (const brand of advertiser.brands) {
    for (const commodity of brand.commodities.map(findCommodity)) {
      for (const subCommodity of commodity.subCommodities) {
        for (const variant of subCommodity.variants) {
          const id = (advertiser.id - 2000) * 1000 + lines.length + 1;
          lines.push({ id, brand: brand.name, commodity, subCommodity, variant });
        }
      }
    }
  }
  return lines;
}

function makeProduct(id: number, advertiser: Advertiser, line: Line, size: string, step: number): Product {
  const { brand, commodity, subCommodity, variant } = line;
  const random = createRandom(`product ${id}`);
  const lineName = `${brand} ${variant} ${subCommodity.noun}`;
  const upc = `00${advertiser.id}${String(id).slice(1)}${random.int(10, 100)}`;
  const minimumBid = 0.25 + random.int(0, 20) / 100;
  const { departmentId, commodityId, subCommodityId } = taxonomyIds(commodity, subCommodity);
  return {
    id,
    advertiserId: advertiser.id,
    upc,
    name: `${lineName}, ${size}`,
    brand,
    category: commodity.name,
    subcategory: subCommodity.name,
    price: shelfPrice(subCommodity.price * 1.55 ** step * (0.92 + random.next() * 0.16)),
    minSuggestedBid: cents(minimumBid),
    maxSuggestedBid: cents(minimumBid * (2 + random.next() * 2)),
    imageUrl: `https://images.example.com/products/${upc}.png`,
    available: !random.chance(0.04),
    department: commodity.department,
    departmentId,
    commodity: commodity.name,
    commodityId,
    subCommodity: subCommodity.name,
    subCommodityId,
    entityGroup: lineName,
    entityGroupId: `G${line.id}`,
  };
}

/** Shelf prices end in 9 cents. */
function shelfPrice(amountInCents: number): number {
  return (Math.round(amountInCents / 10) * 10 - 1) / 100;
}

function cents(amount: number): number {
  return Math.round(amount * 100) / 100;
}
