import { BANNERS } from './placements.ts';
import type { Random } from './random.ts';

const SHOPPERS = 32_000;

/**
 * The shoppers of the network: a few visit every day, most hardly ever. Each is at home with one banner and turns up there under every
 * advertiser, so that audiences overlap between days, ad groups and experiences.
 */
export interface Audience {
  /** @returns up to `count` different shoppers' ids */
  reach(random: Random, banner: string, count: number): string[];
}

/** @param taste advertisers of different taste reach different shoppers among the less active ones */
export function createAudience(taste: number): Audience {
  const perBanner = Math.floor(SHOPPERS / BANNERS.length);
  const shopper = (random: Random, home: number) => {
    const rank = Math.floor(perBanner * random.next() ** 3.2);
    const index = random.chance(0.45) ? rank : (rank + taste * 977) % perBanner;
    return `hh-${home * perBanner + index + 100_000}`;
  };
  return {
    reach: (random, banner, count) => {
      const home = Math.max(0, (BANNERS as readonly string[]).indexOf(banner));
      const reached = new Set<string>();
      for (let draw = 0; draw < count; draw++) reached.add(shopper(random, home));
      return [...reached];
    },
  };
}
