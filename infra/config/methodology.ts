import * as z from 'zod';
import type { Method } from '../../shared/catalog/methodology.ts';
import { EXPERIENCES } from '../../shared/catalog/tables.ts';

/** A header of CSV and Arrow responses has the method, with six characters for each that is not ASCII. */
const text = z.string().min(1).max(100);
const days = (max: number) => z.int().min(0).max(max);

const method = z
  .strictObject({
    ...{ clickDays: days(90), viewDays: days(90), countedOn: z.enum(['conversionDay', 'adDay']), model: text },
    ...{ matchLevel: z.enum(['sku', 'brand', 'category']), sales: z.enum(['gross', 'net']) },
    cost: z.strictObject({ tax: z.enum(['included', 'excluded']), discounts: z.enum(['before', 'after']) }).partial(),
    ...{ viewability: text, invalidTraffic: text, newToBrandLookbackDays: days(3650) },
    link: z.url({ protocol: /^https$/ }).max(120),
    validFrom: z.iso.date(),
  })
  .partial() satisfies z.ZodType<Method>;

const isAscending = (methods: readonly Method[]) =>
  methods.every(({ validFrom = '' }, at) => at === 0 || validFrom > (methods[at - 1]?.validFrom ?? ''));

/** The setting: a list of methods per experience, ascending by `validFrom`. */
export const methodology = z.partialRecord(z.enum(EXPERIENCES), z.array(method).min(1).max(10).refine(isAscending));
