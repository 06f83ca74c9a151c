import { dayNumber } from '../lib/calendar.ts';
import { type Experience, experiencesIn, type ReportExperience } from './tables.ts';

/** What the operator states about how figures of an experience are made, from a day on. Nothing follows from what is not stated. */
export interface Method {
  /** Between a click, or a view, and the purchase that is attributed to it. */
  readonly clickDays?: number | undefined;
  readonly viewDays?: number | undefined;
  /** The day that a conversion is counted on. */
  readonly countedOn?: 'conversionDay' | 'adDay' | undefined;
  /** Such as `last touch`. */
  readonly model?: string | undefined;
  /** What of an advertised product a purchase must match. */
  readonly matchLevel?: 'sku' | 'brand' | 'category' | undefined;
  readonly sales?: 'gross' | 'net' | undefined;
  readonly cost?:
    | { readonly tax?: 'included' | 'excluded' | undefined; readonly discounts?: 'before' | 'after' | undefined }
    | undefined;
  /** The definition of a viewable impression. */
  readonly viewability?: string | undefined;
  /** How invalid traffic is found, and whether impressions contain it. */
  readonly invalidTraffic?: string | undefined;
  readonly newToBrandLookbackDays?: number | undefined;
  /** A page about the method. */
  readonly link?: string | undefined;
  /** The first day of facts that are made so; absent: all before the next method. */
  readonly validFrom?: string | undefined;
}

/** The methods of each experience, ascending by the day from which they are valid; only the first may have none. */
export type Methodology = { readonly [Name in Experience]?: readonly Method[] | undefined };

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

/** By experience, how many days after a day its figures may be loaded again. */
export type RestatementDays = { readonly [Name in Experience]?: number | undefined };

/** What decides when figures are final. */
export interface Finality {
  readonly restatementDays: RestatementDays;
  readonly methodology?: Methodology | undefined;
  /** The window of the attribution, by experience. */
  readonly windowDays: { readonly [Name in Experience]?: number };
}

/**
 * @param complete the last complete day, a day number; Infinity where it does not matter
 * @returns the last day whose figures are final: it is complete, is not loaded again, and conversions that are counted on it cannot come any more; undefined where no restatementDays are stated
 */
export function lastFinalDay(
  { restatementDays, methodology, windowDays }: Finality,
  name: Experience,
  { complete, today }: { readonly complete: number; readonly today: number },
): number | undefined {
  const days = restatementDays[name];
  if (days === undefined) return undefined;
  const settled = Math.min(complete, today - 1 - days);
  const methods = methodology?.[name] ?? [];
  const starts = methods.map(({ validFrom }) => (validFrom === undefined ? 0 : dayNumber(validFrom)));
  const windowOf = ({ clickDays = windowDays[name] ?? 0, viewDays = windowDays[name] ?? 0, countedOn }: Method) =>
    countedOn === 'adDay' ? Math.max(clickDays, viewDays) : 0;
  const [first = settled] = starts;
  // the days of each method are final up to its own window; those of the next only if all before are
  const last = methods.findIndex((method, i) => settled - windowOf(method) < (starts[i + 1] ?? Infinity) - 1);
  const method = methods[last];
  if (method === undefined || settled < first) return settled;
  return Math.max(settled - windowOf(method), (starts[last] ?? 0) - 1);
}
