import * as z from 'zod/mini';
import { EXPERIENCES } from '../catalog/tables.ts';

const INTEGER = /^-?\d+$/;

interface Described {
  readonly description: string;
  readonly examples: readonly unknown[];
}

/**
 * An integer in a query or path, written `-?\d+`, from `minimum` to `maximum` inclusive; `fallback` where it is not sent.
 * In the OpenAPI document it is an integer, so read its schema as output.
 */
export function integerParameter(
  options: Described & { readonly minimum: number; readonly maximum: number; readonly fallback: number },
) {
  const { minimum, maximum, fallback, description, examples } = options;
  const allowed =
    minimum === maximum ? `${minimum}, the only allowed value` : `an integer from ${minimum} to ${maximum}`;
  const bounded = z.int(allowed).check(z.minimum(minimum, allowed), z.maximum(maximum, allowed));
  const parsed = z.codec(z.string(allowed).check(z.regex(INTEGER, allowed)), bounded, {
    decode: Number,
    encode: String,
  });
  return z._default(parsed, fallback).check(z.meta({ description, examples: [...examples] }));
}

/** No id is so large: what lies beyond stands for it, so that any integer can be asked for and none is found. */
const BEYOND_IDS = 2 ** 53;

/** An id in a query or path: any integer, however large, written `-?\d+`. Ids that exist are below 2^53. */
export function idParameter({ description, examples }: Described) {
  const allowed = 'an integer';
  return z
    .codec(z.string(allowed).check(z.regex(INTEGER, allowed)), z.number(), {
      decode: (text) => Math.max(-BEYOND_IDS, Math.min(BEYOND_IDS, Number(text))),
      encode: String,
    })
    .check(z.meta({ type: 'integer', description, examples: [...examples] }));
}

const EXPERIENCE_NAMES = `${EXPERIENCES.join(', ')} (upper or lower case)`;
const ANY_CASE = EXPERIENCES.map((name) => name.replaceAll(/./g, (letter) => `[${letter}${letter.toUpperCase()}]`));

/** The advertising experience, matched case-insensitively; lower case from here on. */
export const experienceParameter = z
  .codec(z.string(), z.enum(EXPERIENCES, `one of ${EXPERIENCE_NAMES}`), {
    decode: (text) => text.toLowerCase() as (typeof EXPERIENCES)[number], // the enum that follows checks it
    encode: String,
  })
  .check(
    z.meta({
      type: 'string',
      enum: undefined,
      pattern: `^(${ANY_CASE.join('|')})$`,
      description: `Advertising experience: ${EXPERIENCE_NAMES}.`,
      examples: ['pla', 'TOA', 'carousel'],
    }),
  );

export const accountIdParameter = idParameter({
  description: 'Id of one of your accounts. An account that is not yours answers 403, whether it exists or not.',
  examples: [1001],
});
