import * as z from 'zod/mini';
import { described } from './described.ts';

const stated = <Schema extends z.ZodMiniType>(schema: Schema, meaning: string) =>
  z.optional(z.union([schema, z.null()]).check(described(meaning)));
const days = () => z.int().check(z.minimum(0));
const text = () => z.string();
const date = () => z.string().check(z.meta({ format: 'date' }));

/** The members of a method, of which an operator states some: others are null, and all are absent where the setting `methodology` is. */
export const METHOD_MEMBERS = {
  clickDays: stated(days(), 'Maximum number of days between a click and the purchase.'),
  viewDays: stated(days(), 'Maximum number of days between a view and the purchase.'),
  countedOn: stated(z.enum(['conversionDay', 'adDay']), 'The day that a conversion is counted on.'),
  model: stated(text(), 'How a purchase is divided among ads, such as last touch.'),
  matchLevel: stated(z.enum(['sku', 'brand', 'category']), 'What of an advertised product a purchase must match.'),
  sales: stated(z.enum(['gross', 'net']), 'Whether revenue is before (gross) or after tax and discounts (net).'),
  cost: stated(
    z.strictObject({
      tax: z.union([z.enum(['included', 'excluded']), z.null()]),
      discounts: z.union([z.enum(['before', 'after']), z.null()]),
    }),
    'Whether cost includes tax, and whether it is before or after discounts.',
  ),
  viewability: stated(text(), 'The definition of a viewable impression.'),
  invalidTraffic: stated(text(), 'How invalid traffic is found, and whether impressions contain it.'),
  newToBrandLookbackDays: stated(days(), 'Days without a purchase of the brand after which a buyer is new to it.'),
  link: stated(text(), 'A page about the method.'),
  validFrom: stated(date(), 'The first day of facts that are made so; null for all before another method.'),
} as const;

export const Method = z
  .strictObject(METHOD_MEMBERS)
  .check(z.meta({ id: 'Method', description: 'How figures of an experience are made, as the operator states it.' }));
