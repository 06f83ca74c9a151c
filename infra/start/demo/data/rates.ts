import rates from './rates.json' with { type: 'json' };

/**
 * What an average ad of an experience achieves and costs.
 * - `rows`: target number of deliveries over all days, before campaigns run out of budget. Those of one slice and hour become one row.
 * - `impressionsPerRow`: mean impressions of a delivery that does not lose its auctions. `clickRate`: clicks per impression.
 * - `clickPriceMicros`, `impressionPriceMicros`: prices in micros of the currency; one of the two is 0.
 * - `winRate`: share of the opportunities that is won; 0 where opportunities are not counted.
 * - `signedInRate`: share of the impressions that are shown to a signed-in shopper.
 * - `conversionsPerUser`, `conversionsPerClick`: purchases per signed-in shopper reached, and per click.
 */
export const RATES = rates.experiences;

/** Days of facts. */
export const DEMO_DAYS = rates.days;

/** @returns about the average cost of a delivery in the experience, in micros of the currency */
export function expectedRowCost(rates: (typeof RATES)['pla']): number {
  return rates.impressionsPerRow * (rates.clickRate * rates.clickPriceMicros + rates.impressionPriceMicros);
}
