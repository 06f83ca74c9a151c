import { advertiserNumber } from '../data/network.ts';
import { BANNERS, placementsOf } from '../data/placements.ts';
import { RATES } from '../data/rates.ts';
import { findCommodity } from '../data/taxonomy.ts';
import { createAudience } from './audience.ts';
import type { SimulatedAdGroup } from './campaigns.ts';
import { creativesOf } from './creatives.ts';
import type { Product } from './products.ts';
import { createRandom, drawByRank, drawByWeight } from './random.ts';

/** An ad group that delivers, with the distributions from which its facts are drawn. */
export type LiveAdGroup = ReturnType<typeof makeLive>;

/**
 * @returns the ad group with its distributions; its keywords belong to the first product's commodity
 * @throws Error if it has no products
 */
export function makeLive(simulated: SimulatedAdGroup) {
  const { experience } = simulated.campaign;
  const [product] = simulated.products;
  if (product === undefined) throw new Error(`ad group ${simulated.adGroup.id} has no products`);
  const commodity = findCommodity(product.commodity);
  const creatives = creativesOf(simulated);
  return {
    ...simulated,
    rates: RATES[experience],
    commodity,
    drawUsers: createAudience(advertiserNumber(simulated.advertiser)),
    drawPlacement: drawByWeight(placementsOf(experience), (placement) => placement.weight),
    drawBanner: drawByRank(BANNERS, 0.8),
    drawKeyword: drawByRank(commodity.keywords, 1.1),
    drawProduct: drawByRank(shuffle(simulated), 0.9),
    drawCreative: creatives.length === 0 ? undefined : drawByRank(creatives, 0.8),
  };
}

/** @returns the ad group's products in an order of their popularity that differs between ad groups */
function shuffle({ adGroup, products }: SimulatedAdGroup): Product[] {
  const random = createRandom(`products of ${adGroup.id}`);
  return products
    .map((product) => ({ product, position: random.next() }))
    .sort((one, other) => one.position - other.position)
    .map(({ product }) => product);
}
