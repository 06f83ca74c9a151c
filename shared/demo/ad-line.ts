import { type Audience, createAudience } from './audience.ts';
import type { Flight } from './campaigns.ts';
import type { Product } from './catalogue.ts';
import { creativesOf, type ShownCreative } from './creatives.ts';
import { BANNERS, type Placement, placementsOf } from './placements.ts';
import { createRandom, type Draw, drawByRank, drawByWeight } from './random.ts';
import { RATES, type Rates } from './rates.ts';
import type { Commodity } from './shelf.ts';
import { findCommodity } from './taxonomy.ts';

/** An ad group that can be on air, with everything that its hours are drawn from. */
export interface AdLine {
  readonly flight: Flight;
  readonly rates: Rates;
  readonly commodity: Commodity;
  readonly audience: Audience;
  readonly placements: Draw<Placement>;
  readonly banners: Draw<string>;
  readonly keywords: Draw<string>;
  readonly products: Draw<Product>;
  readonly creatives: Draw<ShownCreative> | undefined;
}

export function openAdLine(flight: Flight): AdLine {
  const { experience } = flight.plan;
  const commodity = findCommodity(flight.products[0]?.commodity ?? '');
  const creatives = creativesOf(flight);
  const shuffle = createRandom(`products of ${flight.adGroup.id}`);
  const products = flight.products
    .map((product) => ({ product, at: shuffle.next() }))
    .sort((one, other) => one.at - other.at)
    .map(({ product }) => product);
  return {
    flight,
    rates: RATES[experience],
    commodity,
    audience: createAudience(flight.advertiser.id - 2000),
    placements: drawByWeight(placementsOf(experience), (placement) => placement.weight),
    banners: drawByRank(BANNERS, 0.8),
    keywords: drawByRank(commodity.keywords, 1.1),
    products: drawByRank(products, 0.9),
    creatives: creatives.length === 0 ? undefined : drawByRank(creatives, 0.8),
  };
}
