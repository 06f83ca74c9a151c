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
  /** Of 1,000 opportunities, how many are won; 0 where auctions are not counted. */
  readonly winRate: number;
  /** Share of impressions shown to a signed-in shopper, whose id is known. */
  readonly knownUsers: number;
  /** Purchases a known user reached, and a click. */
  readonly conversionsPerUser: number;
  readonly conversionsPerClick: number;
}

export const RATES: Readonly<Record<Experience, Rates>> = {
  pla: {
    rows: 196_000,
    impressionsPerRow: 14,
    clickRate: 0.012,
    clickPrice: 860_000,
    impressionPrice: 0,
    winRate: 0.27,
    knownUsers: 0.24,
    conversionsPerUser: 0.016,
    conversionsPerClick: 0.15,
  },
  toa: {
    rows: 42_000,
    impressionsPerRow: 22,
    clickRate: 0.0034,
    clickPrice: 0,
    impressionPrice: 7_350,
    winRate: 0,
    knownUsers: 0.2,
    conversionsPerUser: 0.011,
    conversionsPerClick: 0.09,
  },
  carousel: {
    rows: 42_000,
    impressionsPerRow: 18,
    clickRate: 0.0072,
    clickPrice: 0,
    impressionPrice: 5_200,
    winRate: 0.41,
    knownUsers: 0.22,
    conversionsPerUser: 0.014,
    conversionsPerClick: 0.12,
  },
};

/** @returns what a row of the experience costs on average, in micros. */
export function expectedRowCost(rates: Rates): number {
  return rates.impressionsPerRow * (rates.clickRate * rates.clickPrice + rates.impressionPrice);
}
