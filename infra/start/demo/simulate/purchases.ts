import type { Experience } from '../../../../shared/catalog/tables.ts';
import { addDays } from './days.ts';
import type { Exposure } from './delivery.ts';
import { hourShare, isPromoted } from './demand.ts';
import type { Product } from './products.ts';
import { createRandom, drawByWeight, type Random } from './random.ts';

/**
 * A purchase by a shopper who had seen an ad: a row of the load files `conversions`. Day, hour, source and purchased product are the purchase's; the other keys
 * are those of the credited exposure.
 */
interface ConversionRow {
  readonly daily_date: string;
  readonly hour: number;
  readonly ad_group_id: number;
  readonly placement_id: number;
  readonly division_banner?: string;
  readonly keyword?: string;
  readonly entity_id?: string;
  readonly creative_key?: string;
  readonly conversion_source: 'ONLINE' | 'IN_STORE';
  readonly purchased_entity_id: string;
  readonly halo_transactions?: number;
  readonly halo_units?: number;
  readonly halo_revenue?: number;
  readonly halo_exposed_transactions: number;
  readonly halo_exposed_units: number;
  readonly halo_exposed_revenue: number;
  readonly users: readonly string[];
}

/** The purchases of one experience by day. A purchase happens up to 14 days after the exposure that it follows. */
export class Purchases {
  readonly #experience: Experience;
  readonly #products: readonly Product[];
  readonly #byDay = new Map<string, ConversionRow[]>();

  constructor(experience: Experience, products: readonly Product[]) {
    this.#experience = experience;
    this.#products = products;
  }

  /** Draws the purchases that follow the exposures of `day`. */
  add(day: string, exposures: readonly Exposure[]): void {
    const random = createRandom(`purchases ${this.#experience} ${day}`);
    for (const exposure of exposures) {
      const { row, adGroup } = exposure;
      const { rates } = adGroup;
      for (const user of row.users ?? []) {
        if (random.chance(rates.conversionsPerUser)) this.#buy(exposure, user, false, random);
      }
      if (row.users === undefined || row.clicks === undefined) continue;
      const afterClick = Math.min(row.users.length, random.count(row.clicks * rates.conversionsPerClick));
      for (const user of random.sample(row.users, afterClick)) this.#buy(exposure, user, true, random);
    }
  }

  /** @returns and removes the purchases of the day, by hour; the exposures up to that day must have been added before */
  take(day: string): ConversionRow[] {
    const rows = this.#byDay.get(day) ?? [];
    this.#byDay.delete(day);
    return rows.sort((one, other) => one.hour - other.hour || one.ad_group_id - other.ad_group_id);
  }

  #buy(exposure: Exposure, user: string, afterClick: boolean, random: Random): void {
    const { row, adGroup } = exposure;
    const delay = random.chance(0.55) ? 0 : Math.min(14, random.count(3.2));
    const day = addDays(row.daily_date, delay);
    const hour = delay === 0 ? random.int(row.hour, 24) : drawPurchaseHour(random);
    const product = this.#choose(exposure, random);
    const units = 1 + random.count(0.4);
    const price = product.price * (isPromoted(adGroup.commodity, day) ? 0.85 : 1);
    const revenue = Math.round(price * units * 100) / 100;
    const purchase: ConversionRow = {
      daily_date: day,
      hour,
      ...keysOf(row),
      conversion_source: hour >= 7 && hour < 23 && random.chance(0.42) ? 'IN_STORE' : 'ONLINE',
      purchased_entity_id: product.upc,
      ...(afterClick ? { halo_transactions: 1, halo_units: units, halo_revenue: revenue } : {}),
      halo_exposed_transactions: 1,
      halo_exposed_units: units,
      halo_exposed_revenue: revenue,
      users: [user],
    };
    const sameDay = this.#byDay.get(day);
    if (sameDay === undefined) this.#byDay.set(day, [purchase]);
    else sameDay.push(purchase);
  }

  /** @returns the advertised product; in about a third of the cases, or if none was advertised, any of the advertiser's products in one commodity */
  #choose({ product, adGroup }: Exposure, random: Random): Product {
    if (product !== undefined && random.chance(0.64)) return product;
    const similar = product ?? random.pick(adGroup.products);
    return random.pick(
      this.#products.filter(
        (other) => other.advertiserId === similar.advertiserId && other.commodityId === similar.commodityId,
      ),
    );
  }
}

const drawPurchaseHour = drawByWeight(
  Array.from({ length: 24 }, (_, hour) => hour),
  hourShare,
);

/** @returns the key columns that a purchase shares with the exposure that is credited with it */
function keysOf(row: Exposure['row']) {
  const { ad_group_id, placement_id, division_banner, keyword, entity_id, creative_key } = row;
  return {
    ad_group_id,
    placement_id,
    ...(division_banner === undefined ? {} : { division_banner }),
    ...(keyword === undefined ? {} : { keyword }),
    ...(entity_id === undefined ? {} : { entity_id }),
    ...(creative_key === undefined ? {} : { creative_key }),
  };
}
