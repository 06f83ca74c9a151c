import * as z from 'zod/mini';
import { EXPERIENCES } from '../../catalog/tables.ts';
import { listResponse, pagingParameters } from './paging.ts';

export const listPlacementsInput = { query: z.object(pagingParameters) };

export const Placement = z
  .strictObject({
    id: z.int().check(z.meta({ description: 'Id of the placement.', examples: [11] })),
    name: z.string().check(z.meta({ description: 'Name of the placement.', examples: ['Search results, top'] })),
    description: z.optional(z.string().check(z.meta({ description: 'Where shoppers see the placement.' }))),
    experiences: z
      .array(z.enum(EXPERIENCES))
      .check(z.meta({ description: 'Experiences that are shown in the placement.', examples: [['pla', 'toa']] })),
    active: z.boolean().check(z.meta({ description: 'Whether the placement is active.' })),
    priceFloor: z.optional(
      z
        .number()
        .check(z.minimum(0), z.meta({ description: 'Minimum bid, in the platform’s currency.', examples: [0.35] })),
    ),
  })
  .check(z.meta({ id: 'Placement', description: 'A place where ads are shown.' }));

export const PlacementResponse = listResponse('PlacementResponse', 'placements', Placement);
