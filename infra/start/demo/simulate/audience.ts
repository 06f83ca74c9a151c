import { BANNERS } from '../data/placements.ts';
import type { Random } from './random.ts';

const SHOPPERS = 32_000;

/**
 * The shoppers that an advertiser's ads reach. A few shoppers visit every day, most shoppers rarely. Each shopper uses one banner and may see the ads of
 * every advertiser there, so audiences overlap between days, ad groups and experiences.
 * @param advertiser its number, which determines which shoppers 55 % of the draws favor; the other draws favor the same shoppers for all advertisers
 * @returns a function that returns the ids of at most `count` different shoppers of the banner
 */
export function createAudience(advertiser: number) {
  const perBanner = Math.floor(SHOPPERS / BANNERS.length);
  const drawShopper = (random: Random, bannerIndex: number) => {
    const rank = Math.floor(perBanner * random.next() ** 3.2);
    const index = random.chance(0.45) ? rank : (rank + advertiser * 977) % perBanner;
    return `hh-${bannerIndex * perBanner + index + 100_000}`;
  };
  return (random: Random, banner: string, count: number): string[] => {
    const bannerIndex = Math.max(0, BANNERS.indexOf(banner));
    const reached = new Set<string>();
    for (let draw = 0; draw < count; draw++) reached.add(drawShopper(random, bannerIndex));
    return [...reached];
  };
}
