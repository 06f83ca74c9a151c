import * as z from 'zod/mini';
import { REPORT_EXPERIENCES, type ReportExperience } from '../catalog/tables.ts';
import { described } from './described.ts';

const INTEGER = /^-?\d+$/;

interface Described {
  readonly description: string;
  readonly examples: readonly unknown[];
}

/**
 * @returns the schema of an integer in a query or path: `-?\d+`, from `minimum` to `maximum` inclusive, `fallback` if it is missing. Its output is the
 * integer, so the OpenAPI document shows the schema of the output.
 */
export function integerParameter(
  options: Described & { readonly minimum: number; readonly maximum: number; readonly fallback: number },
) {
  const { minimum, maximum, fallback, description, examples } = options;
  const allowed =
    minimum === maximum ? `${minimum}, the only allowed value` : `an integer from ${minimum} to ${maximum}`;
  const bounded = z.int(allowed).check(z.minimum(minimum, allowed), z.maximum(maximum, allowed));
  const parsed = z.codec(z.string(allowed).check(z.regex(INTEGER, allowed)), bounded, {
    decode: toInteger,
    encode: String,
  });
  return z._default(parsed, fallback).check(described(description, ...examples));
}

/** @returns the schema of an id in a query or path: any integer, `-?\d+`, however large */
export function idParameter({ description, examples }: Described) {
  const allowed = 'an integer';
  return z
    .codec(z.string(allowed).check(z.regex(INTEGER, allowed)), z.number(), {
      decode: toInteger,
      encode: String,
    })
    .check(z.meta({ type: 'integer', description, examples: [...examples] }));
}

/** As a number, an integer of 400 digits would be infinite. */
function toInteger(text: string): number {
  return Math.max(-Number.MAX_VALUE, Math.min(Number.MAX_VALUE, Number(text)));
}

const EXPERIENCE_NAMES = `${REPORT_EXPERIENCES.join(', ')} (upper or lower case)`;

/** The advertising experience, matched case-insensitively; the output is in lower case. */
export const experienceParameter = z
  .codec(z.string(), z.enum(REPORT_EXPERIENCES, `one of ${EXPERIENCE_NAMES}`), {
    decode: (text) => text.toLowerCase() as ReportExperience, // the enum that follows checks it
    encode: String,
  })
  .check(
    z.meta({
      id: 'Experience',
      description: `Advertising experience: ${EXPERIENCE_NAMES}. \`all\` is the others together: users are counted once, and \`experience_name\` tells them apart.`,
      examples: [...REPORT_EXPERIENCES],
    }),
  );

export const accountIdParameter = idParameter({
  description: 'Id of one of your accounts. For any other id the response is 403, whether or not the account exists.',
  examples: [1001],
});

export const advertiserIdParameter = z.optional(
  idParameter({
    description:
      'Id of one of the advertisers of the account; absent = all of them. For any other id the response is 403, whether or not the advertiser exists.',
    examples: [2001],
  }),
);

/** @returns the schema of an optional query parameter that selects items with one status */
export function statusParameter<const Status extends string>(statuses: readonly [Status, ...Status[]]) {
  const allowed = `one of ${statuses.join(', ')}`;
  return z.optional(
    z.enum(statuses, allowed).check(described('Only items with this status; absent = all of them.', statuses[0])),
  );
}

/** The format of a listing; `accepted-format.ts` reads it before the input is parsed, and rejects others. */
export const listingFormatParameter = z.optional(
  z.enum(['json', 'csv', 'spreadsheet']).check(described('As of a report; absent = that of `Accept`.', 'csv')),
);
