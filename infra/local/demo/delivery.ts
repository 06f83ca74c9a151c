import type { AdGroup } from './campaigns.ts';
import { creativesOf } from './creatives.ts';
import { BANNERS, existing, HOURS, PLACEMENTS, RATES } from './data/network.ts';
import { findCommodity, type Product } from './products.ts';
import { createRandom, drawByRank, drawByWeight, type Random } from './random.ts';

const HABITS_PER_BANNER = Math.floor(32_000 / BANNERS.length);
/** An ad group that delivers, with the distributions from which its facts are drawn. */
export type LiveAdGroup = ReturnType<typeof makeLive>;

/** What an ad group showed in one hour in one slice: a row of the load files `delivery`. An absent measure counts as 0. */
export interface Exposure {
  readonly adGroup: LiveAdGroup;
  readonly hour: number;
  readonly product: Product | undefined;
  readonly keys: ReturnType<typeof drawSlice>['keys'];
  readonly measures: Partial<Record<string, number>> & { impressions: number };
  readonly shoppers: Set<string>;
}

export function makeLive(adGroup: AdGroup) {
  const { experience, theme } = adGroup.plan;
  const random = createRandom(`products of ${adGroup.row.id}`);
  const shuffled = adGroup.products
    .map((product) => ({ product, position: random.next() }))
    .sort((one, other) => one.position - other.position)
    .map(({ product }) => product);
  const commodity = findCommodity(existing(adGroup.products[0]).commodity);
  const placements = PLACEMENTS.filter(({ active, experiences }) => active && experiences.includes(experience));
  const creatives = creativesOf(adGroup.advertiser.id, adGroup.brand);
  return {
    ...adGroup,
    rates: existing(RATES.get(experience)),
    commodity,
    drawPlacement: drawByWeight(placements, (placement) => placement.weight),
    drawBanner: drawByRank(BANNERS, 0.8),
    drawKeyword: drawByRank(commodity.keywords, 1.1),
    drawProduct: drawByRank(shuffled, 0.9),
    drawCreative: drawByRank(theme.startsWith('Video') ? creatives.toReversed() : creatives, 0.8),
  };
}

/**
 * Delivers impressions in a slice that it draws, and adds them to the slice's exposure.
 * @param exposures those of the ad group and hour, by slice
 * @param budget limit for the cost of clicks, in micros
 * @returns the cost in micros
 */
export function deliver(
  adGroup: LiveAdGroup,
  hour: number,
  exposures: Map<string, Exposure>,
  budget: number,
  random: Random,
): number {
  const { rates } = adGroup;
  const { keys, product, placement, seconds } = drawSlice(adGroup, random);
  const slice = JSON.stringify(keys);
  const exposure = exposures.get(slice) ?? {
    adGroup,
    hour,
    product,
    keys,
    measures: { impressions: 0 },
    shoppers: new Set(),
  };
  exposures.set(slice, exposure);
  const add = (measure: string, value: number) => {
    if (value > 0) exposure.measures[measure] = Math.round(((exposure.measures[measure] ?? 0) + value) * 1e6) / 1e6;
  };

  const hasAuctions = rates.winRate > 0;
  const lost = hasAuctions && random.chance(0.04);
  // floor lowers the mean of the exponential part by about 0.5, so impressionsPerRow is the mean of the sum
  const impressions = lost ? 0 : 1 + Math.floor(-Math.log(1 - random.next()) * (rates.impressionsPerRow - 0.5));
  add('impressions', impressions);
  if (hasAuctions) {
    const missed = Math.max(impressions, 2) * (1 / rates.winRate - 1) * (0.6 + 0.8 * random.next());
    add('opportunities', impressions + Math.ceil(missed));
  }
  if (lost) return 0;
  if (adGroup.plan.experience !== 'pla') addViews(add, impressions, placement.clickFactor);
  if (seconds !== undefined) addVideoViews(add, impressions, seconds, random);
  if (keys.division_banner !== undefined) {
    const signedIn = Math.min(impressions, random.count(impressions * rates.signedInRate));
    for (let count = 0; count < signedIn; count++)
      exposure.shoppers.add(drawShopper(adGroup, hour, keys.division_banner, random));
  }
  const priceFactor = 0.75 + 0.5 * random.next();
  const clickPrice = Math.round(rates.clickPriceMicros * priceFactor * 1e-4) * 1e4; // whole cents
  const affordable = clickPrice === 0 ? impressions : Math.min(impressions, Math.floor(budget / clickPrice));
  const clicks = Math.min(affordable, random.count(impressions * rates.clickRate * placement.clickFactor));
  const cost = clicks * clickPrice + Math.round(impressions * rates.impressionPriceMicros * priceFactor);
  add('clicks', clicks);
  add('cost', cost / 1e6);
  return cost;
}

/** Product listing ads (pla) have keywords where the placement is one of a search, and show the product's image instead of a creative. */
function drawSlice(adGroup: LiveAdGroup, random: Random) {
  const { experience } = adGroup.plan;
  const placement = adGroup.drawPlacement(random);
  const division_banner = random.chance(0.02) ? undefined : adGroup.drawBanner(random);
  const keyword = experience === 'pla' && placement.search ? adGroup.drawKeyword(random) : undefined;
  const creative = experience === 'pla' ? undefined : adGroup.drawCreative(random);
  const product = experience === 'toa' && random.chance(0.3) ? undefined : adGroup.drawProduct(random);
  const keys = {
    ad_group_id: adGroup.row.id,
    placement_id: placement.id,
    division_banner,
    keyword,
    entity_id: product?.upc,
    creative_key: creative?.key,
  };
  return { keys, product, placement, seconds: creative?.seconds };
}

/**
 * A few shoppers visit every day, most rarely. Each uses one banner. 55 % of the draws favor other shoppers for each advertiser, the others the same ones, so
 * audiences overlap. Each visits at one hour of the day, as others with the same habits do at other hours.
 */
function drawShopper({ advertiser }: LiveAdGroup, hour: number, banner: string, random: Random): string {
  const rank = Math.floor(HABITS_PER_BANNER * random.next() ** 3.2);
  const index = random.chance(0.45) ? rank : (rank + (advertiser.id - 2000) * 977) % HABITS_PER_BANNER;
  const habit = BANNERS.indexOf(banner) * HABITS_PER_BANNER + index + 100_000;
  return `hh-${habit * HOURS.length + hour}`;
}

/** Ads at places that are clicked more are seen more. */
function addViews(add: (measure: string, value: number) => void, impressions: number, clickFactor: number): void {
  const measurable = Math.round(impressions * 0.94);
  add('measurable_impressions', measurable);
  add('viewable_impressions', Math.round(measurable * Math.min(0.9, 0.45 + 0.2 * clickFactor)));
}

function addVideoViews(
  add: (measure: string, value: number) => void,
  impressions: number,
  seconds: number,
  random: Random,
): void {
  const starts = Math.min(impressions, random.count(Math.min(40, impressions * 0.55)));
  add('video_starts', starts);
  for (let start = 0; start < starts; start++) {
    // Short videos are watched to the end more often.
    const watched = random.chance(1.9 / (seconds ** 0.5 + 1)) ? 1 : random.next() ** 1.3;
    add('video_total_duration', Math.round(watched * seconds * 1000) / 1000);
    if (watched >= 0.25) add('video_first_quartile_views', 1);
    if (watched >= 0.5) add('video_second_quartile_views', 1);
    if (watched >= 0.75) add('video_third_quartile_views', 1);
    if (watched === 1) add('video_completes', 1);
  }
  add('video_pauses', random.count(starts * 0.09));
}
