import type { Experience } from '../../../../shared/catalog/tables.ts';
import { BANNERS, placementsOf } from '../data/placements.ts';
import { COMMODITIES } from '../data/taxonomy.ts';
import type { Exposure } from './delivery.ts';
import { createRandom, drawByRank, type Random } from './random.ts';

/** The impressions of all the retailer's advertisers in one slice: a row of the load files `market`. */
interface MarketRow {
  readonly daily_date: string;
  readonly hour: number;
  readonly placement_id: number;
  readonly division_banner?: string;
  readonly keyword?: string;
  impressions: number;
  /** How many advertisers these impressions are of. */
  advertisers: number;
}

const drawKeyword = drawByRank(
  COMMODITIES.flatMap((commodity) => commodity.keywords),
  0.3,
);

/** Slices per hour that get impressions of advertisers outside the demo in addition, whether or not the demo delivers there. */
const FOREIGN_SLICES = 3;

/** Maximum advertisers outside the demo that one draw adds to a slice: the platform is larger than the demo's network. */
const MAX_OTHERS = 23;

/**
 * @param exposures the day's delivery in the experience, by hour
 * @returns every slice of the delivery, with more impressions and advertisers than the demo has there, and slices of other advertisers; a slice is an hour,
 * a placement, a banner and a keyword
 */
export function makeMarket(experience: Experience, day: string, exposures: Iterable<Exposure>): MarketRow[] {
  const random = createRandom(`market ${experience} ${day}`);
  const slices = new Map<string, MarketRow>();
  const counted = new Set<string>();
  const keyOf = ({ hour, placement_id, division_banner, keyword }: Omit<MarketRow, 'daily_date'>) =>
    `${hour} ${placement_id} ${division_banner} ${keyword}`;
  const add = (row: Omit<MarketRow, 'daily_date'>) => {
    const slice = slices.get(keyOf(row)) ?? { daily_date: day, ...row, impressions: 0, advertisers: 0 };
    slices.set(keyOf(row), slice);
    slice.impressions += row.impressions;
    slice.advertisers += row.advertisers;
  };
  for (const { row, adGroup } of exposures) {
    const { hour, placement_id, division_banner, keyword, impressions } = row;
    const slice = {
      hour,
      placement_id,
      impressions,
      advertisers: 0,
      ...(division_banner === undefined ? {} : { division_banner }),
      ...(keyword === undefined ? {} : { keyword }),
    };
    const advertiser = `${keyOf(slice)} ${adGroup.advertiser.id}`;
    const isNew = impressions > 0 && !counted.has(advertiser);
    if (isNew) counted.add(advertiser);
    add({ ...slice, advertisers: isNew ? 1 : 0 });
  }
  for (const slice of slices.values()) {
    const otherImpressions = 4 + Math.ceil(slice.impressions * (1 + 4 * random.next()));
    slice.impressions += otherImpressions;
    slice.advertisers += countOthers(random, otherImpressions);
  }
  const placements = placementsOf(experience);
  for (let hour = 0; hour < 24; hour++) {
    for (let slice = 0; slice < FOREIGN_SLICES; slice++) {
      const placement = random.pick(placements);
      const keyword = experience === 'pla' && placement.search ? { keyword: drawKeyword(random) } : {};
      const impressions = random.int(5, 60);
      add({
        hour,
        placement_id: placement.id,
        division_banner: random.pick(BANNERS),
        ...keyword,
        impressions,
        advertisers: countOthers(random, impressions),
      });
    }
  }
  return [...slices.values()];
}

/** @returns how many other advertisers the impressions are of: mostly three or more, so that reports withhold a small part of the market */
function countOthers(random: Random, impressions: number): number {
  return random.chance(0.04) ? random.int(1, 2) : random.int(3, Math.min(MAX_OTHERS + 1, impressions));
}
