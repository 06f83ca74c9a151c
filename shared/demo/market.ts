import type { Experience } from '../catalog/tables.ts';
import { BANNERS, placementsOf } from './placements.ts';
import { createRandom, drawByRank } from './random.ts';
import type { DeliveryRow } from './serve-ads.ts';
import { COMMODITIES } from './taxonomy.ts';

/** Impressions of all advertisers of the retailer in one slice: a row of the load files `market`. */
export interface MarketRow {
  readonly daily_date: string;
  readonly hour: number;
  readonly placement_id: number;
  readonly division_banner?: string;
  readonly keyword?: string;
  impressions: number;
}

const KEYWORDS = drawByRank(
  COMMODITIES.flatMap((commodity) => commodity.keywords),
  0.3,
);

/** Slices an hour has in which none of the network's own advertisers was shown. */
const FOREIGN_SLICES = 3;

/**
 * @param rows the day's delivery of the experience, by hour
 * @returns every slice that `rows` touch, with more impressions than `rows` have there, and some that only others were shown in
 */
export function makeMarket(experience: Experience, day: string, rows: Iterable<DeliveryRow>): MarketRow[] {
  const random = createRandom(`market ${experience} ${day}`);
  const slices = new Map<string, MarketRow>();
  const add = (row: Omit<MarketRow, 'daily_date'>) => {
    const key = `${row.hour} ${row.placement_id} ${row.division_banner} ${row.keyword}`;
    const known = slices.get(key);
    if (known === undefined) slices.set(key, { daily_date: day, ...row });
    else known.impressions += row.impressions;
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
  for (const slice of slices.values())
    slice.impressions += 1 + Math.ceil(slice.impressions * (0.4 + 2.2 * random.next()));
  const placements = placementsOf(experience);
  for (let hour = 0; hour < 24; hour++) {
    for (let slice = 0; slice < FOREIGN_SLICES; slice++) {
      const placement = random.pick(placements);
      const keyword = experience === 'pla' && placement.search ? { keyword: KEYWORDS.draw(random) } : {};
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
