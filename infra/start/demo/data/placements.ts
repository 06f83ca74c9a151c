import * as z from 'zod';
import { EXPERIENCES, type Experience } from '../../../../shared/catalog/tables.ts';
import placements from './placements.json' with { type: 'json' };

/** A place on the retailer's site where ads are shown. */
const Placement = z.strictObject({
  id: z.int(),
  name: z.string(),
  description: z.string(),
  experiences: z.array(z.enum(EXPERIENCES)),
  active: z.boolean(),
  priceFloor: z.number(),
  /** Share of the traffic, relative to the other placements of the experience. */
  weight: z.number(),
  /** Clicks per impression, relative to the experience's average. */
  clickFactor: z.number(),
  /** Whether the ads stand among search results; in pla their facts then have a keyword. */
  search: z.boolean(),
});

const Placements = z.strictObject({
  placements: z.array(Placement),
  /** Store banners of the retailer's divisions, the largest first. */
  banners: z.array(z.string()),
});

export type Placement = z.infer<typeof Placement>;

export const { placements: PLACEMENTS, banners: BANNERS } = Placements.parse(placements);

/** @returns the active placements of the experience */
export function placementsOf(experience: Experience): Placement[] {
  return PLACEMENTS.filter((placement) => placement.active && placement.experiences.includes(experience));
}
