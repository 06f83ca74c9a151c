import type { Experience } from '../catalog/tables.ts';
import { addDays } from './calendar.ts';
import type { Product } from './catalogue.ts';
import { createRandom, type Draw, drawByWeight, type Random } from './random.ts';
import type { DeliveryRow, Exposure } from './serve-ads.ts';
import { hourShare, isPromoted } from './shape.ts';

/** A purchase by somebody who had seen an ad: a row of the load files `conversions`. Day and hour are the purchase's, the rest the credited touch's. */
export interface ConversionRow {
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

/** Purchases happen up to 14 days after the touch, so they are kept until their day has come. */
export class Purchases {
  readonly #products: readonly Product[];
  readonly #byDay = new Map<string, ConversionRow[]>();

  constructor(products: readonly Product[]) {
    this.#products = products;
  }

  /** Decides who of those reached on `day` buys, what, where and when. */
  follow(experience: Experience, day: string, exposures: readonly Exposure[]): void {
    const random = createRandom(`purchases ${experience} ${day}`);
    for (const exposure of exposures) {
      const { row, line } = exposure;
      const { rates } = line;
      for (const user of row.users ?? []) {
        if (random.chance(rates.conversionsPerUser)) this.#buy(exposure, user, false, random);
      }
      if (row.users === undefined || row.clicks === undefined) continue;
      const clicked = Math.min(row.users.length, random.count(row.clicks * rates.conversionsPerClick));
      for (const user of random.sample(row.users, clicked)) this.#buy(exposure, user, true, random);
    }
  }

  /** @returns the purchases of the day, by hour; each day can be taken once, after all touches up to it were followed. */
  take(day: string): ConversionRow[] {
    const rows = this.#byDay.get(day) ?? [];
    this.#byDay.delete(day);
    return rows.sort((one, other) => one.hour - other.hour || one.ad_group_id - other.ad_group_id);
  }

  #buy(exposure: Exposure, user: string, clicked: boolean, random: Random): void {
    const { row, line } = exposure;
    const delay = random.chance(0.55) ? 0 : Math.min(14, random.count(3.2));
    const day = addDays(row.daily_date, delay);
    const hour = delay === 0 ? random.int(row.hour, 24) : PURCHASE_HOURS.draw(random);
    const product = this.#choose(exposure, random);
    const units = 1 + random.count(0.4);
    const price = product.price * (isPromoted(line.commodity, day) ? 0.85 : 1);
    const revenue = Math.round(price * units * 100) / 100;
    const bought: ConversionRow = {
      daily_date: day,
      hour,
      ...touchOf(row),
      conversion_source: hour >= 7 && hour < 23 && random.chance(0.42) ? 'IN_STORE' : 'ONLINE',
      purchased_entity_id: product.upc,
      ...(clicked ? { halo_transactions: 1, halo_units: units, halo_revenue: revenue } : {}),
      halo_exposed_transactions: 1,
      halo_exposed_units: units,
      halo_exposed_revenue: revenue,
      users: [user],
    };
    const sameDay = this.#byDay.get(day);
    if (sameDay === undefined) this.#byDay.set(day, [bought]);
    else sameDay.push(bought);
  }

  /** @returns the advertised product, or now and then another of the same advertiser and commodity: the halo. */
  #choose({ product, line }: Exposure, random: Random): Product {
    if (product !== undefined && random.chance(0.64)) return product;
    const like = product ?? random.pick(line.flight.products);
    return random.pick(
      this.#products.filter((it) => it.advertiserId === like.advertiserId && it.commodityId === like.commodityId),
    );
  }
}

const PURCHASE_HOURS: Draw<number> = drawByWeight(
  Array.from({ length: 24 }, (_, hour) => hour),
  hourShare,
);

function touchOf(row: DeliveryRow) {
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
