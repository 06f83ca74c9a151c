import * as z from 'zod/mini';
import { EXPERIENCES } from '../../catalog/tables.ts';
import { described } from '../described.ts';
import { listingOf, listingParameters } from './listing.ts';

export const Placement = z
  .strictObject({
    id: z.int().check(described('Id of the placement.', 11)),
    name: z.string().check(described('Name of the placement.', 'Search results, top')),
    description: z.optional(
      z.string().check(described('Where shoppers see the placement.', 'The first row of the search results.')),
    ),
    experiences: z
      .array(z.enum(EXPERIENCES))
      .check(described('Experiences whose ads are shown in the placement.', ['pla', 'toa'])),
    active: z.boolean().check(described('Whether the placement is active.', true)),
    priceFloor: z.optional(
      z
        .number()
        .check(
          z.minimum(0),
          described('Minimum bid for a thousand impressions or for a click, in the platform’s currency.', 0.35),
        ),
    ),
  })
  .check(z.meta({ id: 'Placement', description: 'A place where ads are shown.' }));

export const listPlacements = listingOf(Placement, {
  items: 'placements',
  query: z.object(listingParameters),
  summary: 'List placements',
  description: 'Returns all available placements, sorted by id; `active` says whether a placement is in use.',
});
