import * as z from 'zod';
import rates from './rates.json' with { type: 'json' };

/** What an average ad of an experience achieves and costs. */
const Rates = z.strictObject({
  /** Target number of deliveries over all days, before campaigns run out of budget. Those of one slice and hour become one row. */
  rows: z.number(),
  /** Mean impressions of a delivery that does not lose its auctions. */
  impressionsPerRow: z.number(),
  /** Clicks per impression. */
  clickRate: z.number(),
  /** Price of a click and of an impression, in micros of the currency; one of the two is 0. */
  clickPriceMicros: z.number(),
  impressionPriceMicros: z.number(),
  /** Share of the opportunities that is won; 0 where opportunities are not counted. */
  winRate: z.number(),
  /** Share of the impressions that are shown to a signed-in shopper. */
  signedInRate: z.number(),
  /** Purchases per signed-in shopper reached, and per click. */
  conversionsPerUser: z.number(),
  conversionsPerClick: z.number(),
});

const DemoRates = z.strictObject({
  /** Days of facts. */
  days: z.int(),
  experiences: z.strictObject({ pla: Rates, toa: Rates, carousel: Rates }),
});

export type Rates = z.infer<typeof Rates>;

export const { days: DEMO_DAYS, experiences: RATES } = DemoRates.parse(rates);

/** @returns about the average cost of a delivery in the experience, in micros of the currency */
export function expectedRowCost(rates: Rates): number {
  return rates.impressionsPerRow * (rates.clickRate * rates.clickPriceMicros + rates.impressionPriceMicros);
}
