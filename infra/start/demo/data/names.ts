import * as z from 'zod';
import names from './names.json' with { type: 'json' };

const Names = z.strictObject({
  firstNames: z.array(z.string()),
  lastNames: z.array(z.string()),
  streets: z.array(z.string()),
  /** Invented cities, with their state and the first three digits of their postal code. */
  cities: z.array(z.strictObject({ city: z.string(), state: z.string(), postal: z.string() })),
  agencies: z.array(z.string()),
  offices: z.array(z.string()),
  /** One campaign theme per month, January first. */
  seasons: z.array(z.string()).length(12),
});

/** Words that the people, places and campaigns of the demo are named after. No combination refers to a real person. */
export const NAMES = Names.parse(names);
