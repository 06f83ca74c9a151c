import { HOURS } from './data/network.ts';
import type { Exposure } from './delivery.ts';
import { addDays, isPromoted } from './demand.ts';
import type { Product } from './products.ts';
import { createRandom, drawByWeight, type Random } from './random.ts';

const drawHour = drawByWeight([...HOURS.keys()], (hour) => HOURS[hour] ?? 0);

/**
 * @param exposures those of one experience and day
 * @returns the purchases by shoppers who had seen the ads, up to 14 days later: rows of the load files `conversions`. Day, hour, source and purchased product are
 * the purchase's; the other keys are those of the credited exposure.
 */
export function simulatePurchases(
  experience: string,
  day: string,
  exposures: readonly Exposure[],
  products: readonly Product[],
) {
  const random = createRandom(`purchases ${experience} ${day}`);
  return exposures.flatMap((exposure) => {
    const { measures, adGroup, shoppers } = exposure;
    const { conversionsPerShopper, conversionsPerClick } = adGroup.rates;
    const buy = (shopper: string, afterClick: boolean) =>
      purchase(exposure, day, shopper, afterClick, products, random);
    const purchases = [...shoppers].flatMap((shopper) =>
      random.chance(conversionsPerShopper) ? [buy(shopper, false)] : [],
    );
    if (shoppers.size === 0 || measures.clicks === undefined) return purchases;
    const afterClick = Math.min(shoppers.size, random.count(measures.clicks * conversionsPerClick));
    return [...purchases, ...random.sample([...shoppers], afterClick).map((shopper) => buy(shopper, true))];
  });
}

function purchase(
  exposure: Exposure,
  exposureDay: string,
  shopper: string,
  afterClick: boolean,
  products: readonly Product[],
  random: Random,
) {
  const delay = random.chance(0.55) ? 0 : Math.min(14, random.count(3.2));
  const day = addDays(exposureDay, delay);
  const hour = delay === 0 ? random.int(exposure.hour, 24) : drawHour(random);
  const product = chooseProduct(exposure, products, random);
  const units = 1 + random.count(0.4);
  const price = product.price * (isPromoted(exposure.adGroup.commodity, day) ? 0.85 : 1);
  const revenue = Math.round(price * units * 100) / 100;
  return {
    daily_date: day,
    hour,
    ...exposure.keys,
    conversion_source: hour >= 7 && hour < 23 && random.chance(0.42) ? 'IN_STORE' : 'ONLINE',
    purchased_entity_id: product.upc,
    ...(afterClick ? { halo_transactions: 1, halo_units: units, halo_revenue: revenue } : {}),
    ...(afterClick && isNewToBrand(shopper, product)
      ? { new_to_brand_transactions: 1, new_to_brand_units: units, new_to_brand_revenue: revenue }
      : {}),
    halo_exposed_transactions: 1,
    halo_exposed_units: units,
    halo_exposed_revenue: revenue,
    users: [shopper],
  };
}

/** Two of five shoppers have not bought the brand before. */
function isNewToBrand(shopper: string, { advertiserId }: Product): boolean {
  return (Math.floor(Number(shopper.slice(3)) / HOURS.length) + advertiserId) % 5 < 2;
}

/** @returns the advertised product; in about a third of the cases, or if none was advertised, any of the advertiser's products in one commodity */
function chooseProduct({ product, adGroup }: Exposure, products: readonly Product[], random: Random): Product {
  if (product !== undefined && random.chance(0.64)) return product;
  const { advertiserId, commodityId } = product ?? random.pick(adGroup.products);
  return random.pick(
    products.filter((other) => other.advertiserId === advertiserId && other.commodityId === commodityId),
  );
}
