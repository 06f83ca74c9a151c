import { ADVERTISERS, type Advertiser, advertiserNumber } from '../data/network.ts';
import { findCommodity, taxonomyIds } from '../data/taxonomy.ts';
import { createRandom } from './random.ts';

/** A product as a row of the load file `products`; `entityGroup` is its product line, which is sold in several sizes. */
export type Product = ReturnType<typeof makeProduct>;

/** @returns the products of all advertisers, by advertiser and in ascending order of their ids */
export function makeProducts(): Product[] {
  const products: Product[] = [];
  for (const advertiser of ADVERTISERS) {
    for (const line of productLinesOf(advertiser)) {
      line.subCommodity.sizes.forEach((size, step) => {
        products.push(makeProduct(500_001 + products.length, advertiser, line, size, step));
      });
    }
  }
  return products;
}

/** @returns the variants of each brand */
function productLinesOf(advertiser: Advertiser) {
  const lines = [];
  for (const brand of advertiser.brands) {
    for (const commodity of brand.commodities.map(findCommodity)) {
      for (const subCommodity of commodity.subCommodities) {
        for (const variant of subCommodity.variants) {
          const id: number = advertiserNumber(advertiser) * 1000 + lines.length + 1;
          lines.push({ id, brand: brand.name, commodity, subCommodity, variant });
        }
      }
    }
  }
  return lines;
}

type ProductLine = ReturnType<typeof productLinesOf>[number];

function makeProduct(id: number, advertiser: Advertiser, line: ProductLine, size: string, step: number) {
  const { brand, commodity, subCommodity, variant } = line;
  const random = createRandom(`product ${id}`);
  const lineName = `${brand} ${variant} ${subCommodity.noun}`;
  const upc = `00${advertiser.id}${String(id).slice(1)}${random.int(10, 100)}`;
  const minBid = 0.25 + random.int(0, 20) / 100;
  const { departmentId, commodityId, subCommodityId } = taxonomyIds(commodity, subCommodity);
  return {
    id,
    advertiserId: advertiser.id,
    upc,
    name: `${lineName}, ${size}`,
    brand,
    category: commodity.name,
    subcategory: subCommodity.name,
    price: shelfPrice(subCommodity.priceInCents * 1.55 ** step * (0.92 + random.next() * 0.16)),
    minSuggestedBid: roundToCents(minBid),
    maxSuggestedBid: roundToCents(minBid * (2 + random.next() * 2)),
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

/** @returns the price in currency units: the cents rounded to tens, minus one, so that it ends in 9 */
function shelfPrice(cents: number): number {
  return (Math.round(cents / 10) * 10 - 1) / 100;
}

function roundToCents(amount: number): number {
  return Math.round(amount * 100) / 100;
}
