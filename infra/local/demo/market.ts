import type { Exposure } from './delivery.ts';
import { createRandom } from './random.ts';

/**
 * @param exposures the delivery of one experience and day
 * @returns the impressions of all the retailer's advertisers, more than the demo's: rows of the load files `market`, by hour, placement, banner and keyword.
 * Mostly three or more other advertisers share them, so that reports withhold a small part.
 */
export function makeMarket(experience: string, day: string, exposures: readonly Exposure[]) {
  const random = createRandom(`market ${experience} ${day}`);
  const slices = Map.groupBy(exposures, ({ hour, keys }) =>
    JSON.stringify([hour, keys.placement_id, keys.division_banner, keys.keyword]),
  );
  return [...slices.values()].flatMap((shown) => {
    const own = shown.reduce((sum, { measures }) => sum + measures.impressions, 0);
    const advertisers = new Set(
      shown.filter(({ measures }) => measures.impressions > 0).map(({ adGroup }) => adGroup.advertiser),
    );
    const others = 4 + Math.ceil(own * (1 + 4 * random.next()));
    const otherAdvertisers = random.chance(0.04) ? random.int(1, 3) : random.int(3, Math.min(24, others));
    return shown.slice(0, 1).map(({ hour, keys: { placement_id, division_banner, keyword } }) => ({
      daily_date: day,
      hour,
      placement_id,
      division_banner,
      keyword,
      impressions: own + others,
      advertisers: advertisers.size + otherAdvertisers,
    }));
  });
}
