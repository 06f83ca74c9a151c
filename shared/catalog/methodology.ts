import * as z from 'zod/mini';
import { type Experience, experiencesIn, type ReportExperience } from './tables.ts';

/** A header of CSV and Arrow responses has the method, with six characters for each that is not ASCII. */
const text = z.string().check(z.minLength(1), z.maxLength(100));
const days = (max: number) => z.int().check(z.minimum(0), z.maximum(max));

/** What the operator states about how figures of an experience are made, from a day on. Nothing follows from what is not stated. */
const Method = z.partial(
  z.strictObject({
    /** Between a click, or a view, and the purchase that is attributed to it. */
    clickDays: days(90),
    viewDays: days(90),
    /** The day that a conversion is counted on. */
    countedOn: z.enum(['conversionDay', 'adDay']),
    /** Such as `last touch`. */
    model: text,
    /** What of an advertised product a purchase must match. */
    matchLevel: z.enum(['sku', 'brand', 'category']),
    sales: z.enum(['gross', 'net']),
    cost: z.partial(z.strictObject({ tax: z.enum(['included', 'excluded']), discounts: z.enum(['before', 'after']) })),
    /** The definition of a viewable impression. */
    viewability: text,
    /** How invalid traffic is found, and whether impressions contain it. */
    invalidTraffic: text,
    newToBrandLookbackDays: days(3650),
    /** A page about the method. */
    link: z.url({ protocol: /^https$/ }).check(z.maxLength(120)),
    /** The first day of facts that are made so; absent: all before the next entry. */
    validFrom: z.iso.date(),
  }),
);
export type Method = z.infer<typeof Method>;

const isAscending = (methods: readonly Method[]) =>
  methods.every(({ validFrom = '' }, at) => at === 0 || validFrom > (methods[at - 1]?.validFrom ?? ''));

/** The methods of each experience, ascending by the day from which they are valid; only the first may have none. */
export const Methodology = z.partialRecord(
  z.enum(['pla', 'toa', 'carousel'] satisfies Experience[]),
  z.array(Method).check(z.minLength(1), z.maxLength(10), z.refine(isAscending)),
);
export type Methodology = z.infer<typeof Methodology>;

type Nullable<T> = { readonly [Name in keyof T]-?: NonNullable<T[Name]> | null };

/** A method with null for what is not stated. */
export type StatedMethod = Nullable<Omit<Method, 'cost'>> & { readonly cost: Nullable<NonNullable<Method['cost']>> };

const UNSTATED: StatedMethod = {
  ...{ clickDays: null, viewDays: null, countedOn: null, model: null, matchLevel: null, sales: null },
  ...{ cost: { tax: null, discounts: null }, viewability: null, invalidTraffic: null },
  ...{ newToBrandLookbackDays: null, link: null, validFrom: null },
};

/** @returns the method with all its members */
export const stated = (method: Method): StatedMethod => {
  const { tax = null, discounts = null } = method.cost ?? {};
  return { ...UNSTATED, ...Object.fromEntries(Object.entries(method)), cost: { tax, discounts } };
};

/** @returns the method of the day in the experiences of the report; null in what they do not agree on. Undefined: nothing is stated at all */
export function methodOn(
  methodology: Methodology | undefined,
  experience: ReportExperience,
  day: string,
): StatedMethod | undefined {
  if (methodology === undefined) return undefined;
  const methods = experiencesIn(experience).map((name) =>
    stated(methodology[name]?.findLast(({ validFrom = '' }) => validFrom <= day) ?? {}),
  );
  const isCommon = (name: keyof StatedMethod) => new Set(methods.map((own) => JSON.stringify(own[name]))).size === 1;
  const names = Object.keys(UNSTATED).filter((name): name is keyof StatedMethod => name in UNSTATED);
  return { ...UNSTATED, ...Object.fromEntries(names.filter(isCommon).map((name) => [name, methods[0]?.[name]])) };
}

/** @returns the days after the first, up to the last, on which the method of one of the experiences changes, ascending */
export function methodChanges(
  methodology: Methodology | undefined,
  experience: ReportExperience,
  { first, last }: { readonly first: string; readonly last: string },
): string[] {
  const starts = experiencesIn(experience).flatMap((name) =>
    (methodology?.[name] ?? []).map(({ validFrom = '' }) => validFrom),
  );
  return [...new Set(starts)].filter((day) => day > first && day <= last).sort();
}
