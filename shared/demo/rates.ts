import type { Experience } from '../catalog/tables.ts';

/** Days of facts that the demo has. */
export const DEMO_DAYS = 90;

/** What an average ad of an experience achieves and costs. */
export interface Rates {
  /** Delivery rows before campaigns run out of money: what all the 90 days aim at. */
  readonly rows: number;
  readonly impressionsPerRow: number;
  readonly clickRate: number;
  /** Micros of the currency a click, and a single impression; the other is 0. */
  readonly clickPrice: number;
  readonly impressionPrice: number;
  /** Share of the opportunities that is won; 0 where opportunities are not counted. */
  readonly winRate: number;
  /** Share of impressions shown to a signed-in shopper, whose id is known. */
  readonly knownUsers: number;
  /** Purchases a known user reached, and a click. */
  readonly conversionsPerUser: number;
  readonly conversionsPerClick: number;
}

export const RATES: Readonly<Record<Experience, Rates>> = {
  pla: {
    rows: 200_000,
    impressionsPerRow: 26,
    clickRate: 0.012,
    clickPrice: 860_000,
    impressionPrice: 0,
    winRate: 0.27,
    knownUsers: 0.13,
    conversionsPerUser: 0.022,
    conversionsPerClick: 0.15,
  },
  toa: {
    rows: 42_000,
    impressionsPerRow: 40,
    clickRate: 0.0034,
    clickPrice: 0,
    impressionPrice: 7_350,
    winRate: 0,
    knownUsers: 0.083,
    conversionsPerUser: 0.017,
    conversionsPerClick: 0.09,
  },
  carousel: {
    rows: 42_000,
    impressionsPerRow: 32,
    clickRate: 0.0072,
    clickPrice: 0,
    impressionPrice: 6_900,
    winRate: 0.41,
    knownUsers: 0.09,
    conversionsPerUser: 0.018,
    conversionsPerClick: 0.12,
  },
};

/** @returns what a row of the experience costs on average, in micros. */
export function expectedRowCost(rates: Rates): number {
  return rates.impressionsPerRow * (rates.clickRate * rates.clickPrice + rates.impressionPrice);
}
