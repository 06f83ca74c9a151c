import { ADVERTISERS, type Advertiser, COMMODITIES, type Commodity, existing } from './data/network.ts';
import { createRandom } from './random.ts';

/** A row of the load file `products`; `entityGroup` is its product line, which is sold in several sizes. */
export type Product = ReturnType<typeof makeProducts>[number];

/** @returns the products of all advertisers, by advertiser and in ascending order of their ids */
export function makeProducts() {
  const lines = ADVERTISERS.flatMap((advertiser) =>
    linesOf(advertiser).map((line, index) => ({
      ...line,
      advertiser,
      groupId: (advertiser.id - 2000) * 1000 + index + 1,
    })),
  );
  const sized = lines.flatMap((line) => line.subCommodity.sizes.map((size, step) => ({ ...line, size, step })));
  return sized.map(({ advertiser, brand, commodity, subCommodity, variant, groupId, size, step }, index) => {
    const id = 500_001 + index;
    const random = createRandom(`product ${id}`);
    const entityGroup = `${brand} ${variant} ${subCommodity.noun}`;
    const upc = `00${advertiser.id}${String(id).slice(1)}${random.int(10, 100)}`;
    const minBid = 0.25 + random.int(0, 20) / 100;
    return {
      id,
      advertiserId: advertiser.id,
      upc,
      name: `${entityGroup}, ${size}`,
      brand,
      category: commodity.name,
      subcategory: subCommodity.name,
      price: shelfPrice(subCommodity.priceInCents * 1.55 ** step * (0.92 + random.next() * 0.16)),
      minSuggestedBid: roundToCents(minBid),
      maxSuggestedBid: roundToCents(minBid * (2 + random.next() * 2)),
      imageUrl: `https://images.example.com/products/${upc}.png`,
      available: !random.chance(0.04),
      department: commodity.department,
      departmentId: commodity.departmentId,
      commodity: commodity.name,
      commodityId: commodity.commodityId,
      subCommodity: subCommodity.name,
      subCommodityId: subCommodity.subCommodityId,
      entityGroup,
      entityGroupId: `G${groupId}`,
    };
  });
}

/** @returns the variants of each brand of the advertiser */
function linesOf({ brands }: Advertiser) {
  return brands.flatMap(({ name, commodities }) =>
    commodities
      .map(findCommodity)
      .flatMap((commodity) =>
        commodity.subCommodities.flatMap((subCommodity) =>
          subCommodity.variants.map((variant) => ({ brand: name, commodity, subCommodity, variant })),
        ),
      ),
  );
}

export function findCommodity(name: string): Commodity {
  return existing(COMMODITIES.find((commodity) => commodity.name === name));
}

/** @returns the price in currency units: the cents rounded to tens, minus one, so that it ends in 9 */
function shelfPrice(cents: number): number {
  return (Math.round(cents / 10) * 10 - 1) / 100;
}

function roundToCents(amount: number): number {
  return Math.round(amount * 100) / 100;
}
