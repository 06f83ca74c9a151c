import type { Experience } from '../../catalog/tables.ts';
import { BANNERS, placementsOf } from '../data/placements.ts';
import { COMMODITIES } from '../data/taxonomy.ts';
import type { DeliveryRow } from './delivery.ts';
import { createRandom, drawByRank } from './random.ts';

/** The impressions of all the retailer's advertisers in one slice: a row of the load files `market`. */
export interface MarketRow {
  readonly daily_date: string;
  readonly hour: number;
  readonly placement_id: number;
  readonly division_banner?: string;
  readonly keyword?: string;
  impressions: number;
}

const drawKeyword = drawByRank(
  COMMODITIES.flatMap((commodity) => commodity.keywords),
  0.3,
);

/** Slices per hour in which only advertisers outside the demo had impressions. */
const FOREIGN_SLICES = 3;

/**
 * @param rows the day's delivery in the experience, by hour
 * @returns every slice of `rows`, with more impressions than `rows` have there, and slices of other advertisers
 */
export function makeMarket(experience: Experience, day: string, rows: Iterable<DeliveryRow>): MarketRow[] {
  const random = createRandom(`market ${experience} ${day}`);
  const slices = new Map<string, MarketRow>();
  const add = (row: Omit<MarketRow, 'daily_date'>) => {
    const key = `${row.hour} ${row.placement_id} ${row.division_banner} ${row.keyword}`;
    const slice = slices.get(key);
    if (slice === undefined) slices.set(key, { daily_date: day, ...row });
    else slice.impressions += row.impressions;
  };
  for (const { hour, placement_id, division_banner, keyword, impressions } of rows) {
    add({
      hour,
      placement_id,
      ...(division_banner === undefined ? {} : { division_banner }),
      ...(keyword === undefined ? {} : { keyword }),
      impressions,
    });
  }
  for (const slice of slices.values()) {
    slice.impressions += 1 + Math.ceil(slice.impressions * (0.4 + 2.2 * random.next()));
  }
  const placements = placementsOf(experience);
  for (let hour = 0; hour < 24; hour++) {
    for (let slice = 0; slice < FOREIGN_SLICES; slice++) {
      const placement = random.pick(placements);
      const keyword = experience === 'pla' && placement.search ? { keyword: drawKeyword(random) } : {};
      add({
        hour,
        placement_id: placement.id,
        division_banner: random.pick(BANNERS),
        ...keyword,
        impressions: random.int(5, 60),
      });
    }
  }
  return [...slices.values()];
}
