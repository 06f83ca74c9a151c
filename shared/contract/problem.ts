import * as z from 'zod/mini';
import { FIELD_CODES, type FieldCode, PROBLEMS, type ProblemCode } from '../lib/errors.ts';

const FIELD_CODE_NAMES = Object.keys(FIELD_CODES) as FieldCode[]; // keyof the same literal
const PROBLEM_CODE_NAMES = Object.keys(PROBLEMS) as ProblemCode[]; // keyof the same literal

/** At most so many fields are listed in one answer; the detail says how many there were. */
export const MAX_LISTED_FIELDS = 100;

export const ErrorDateTime = z
  .strictObject({
    value: z.iso.datetime().check(z.meta({ description: 'ISO time string.', examples: ['2026-03-01T12:00:00.000Z'] })),
    timezone: z.string().check(z.meta({ description: 'Timezone abbreviation.', examples: ['UTC'] })),
  })
  .check(z.meta({ id: 'ErrorDateTime', description: 'The time at which an error occurred.' }));

const FieldProblem = z
  .strictObject({
    in: z.enum(['query', 'path', 'header', 'body']),
    pointer: z.string().check(
      z.meta({
        description: 'JSON pointer into the body, or the name of the parameter or header.',
        examples: ['/pagination/size', 'account_id'],
      }),
    ),
    code: z
      .enum(FIELD_CODE_NAMES)
      .check(z.meta({ description: 'What is wrong with the field.', 'x-enum-descriptions': FIELD_CODES })),
    detail: z.string().check(z.meta({ description: 'What is allowed there.' })),
  })
  .check(z.meta({ id: 'FieldProblem', description: 'One field of the request that is wrong.' }));

/** The body of every error answer (RFC 9457). Those the gateway makes itself lack `instance` and `occurredAt`. */
export const Problem = z
  .strictObject({
    type: z
      .string()
      .check(z.meta({ description: 'Stable identifier of the kind of problem.', format: 'uri-reference' })),
    title: z.string().check(z.meta({ description: 'Says the same for every problem with this code.' })),
    status: z.int().check(z.minimum(400), z.maximum(599)),
    detail: z.string().check(z.meta({ description: 'What happened this time, and what is allowed.' })),
    instance: z.optional(
      z.string().check(z.meta({ description: 'Path of the request, never its query.', format: 'uri-reference' })),
    ),
    code: z.enum(PROBLEM_CODE_NAMES).check(
      z.meta({
        description: 'The closed list of problems.',
        'x-enum-descriptions': Object.fromEntries(PROBLEM_CODE_NAMES.map((code) => [code, PROBLEMS[code].title])),
      }),
    ),
    requestId: z
      .string()
      .check(z.meta({ description: 'Quote it when you ask about this answer; also in x-request-id.' })),
    occurredAt: z.optional(ErrorDateTime),
    errors: z
      .array(FieldProblem)
      .check(
        z.maxLength(MAX_LISTED_FIELDS),
        z.meta({ description: 'All fields that are wrong, at once; the first 100.' }),
      ),
    statusCode: z.int().check(z.minimum(400), z.maximum(599), z.meta({ description: 'The same as status.' })),
    message: z.string().check(z.meta({ description: 'The same as detail.' })),
  })
  .check(z.meta({ id: 'Problem', description: 'An error answer (RFC 9457 problem details).' }));

/** @returns the members that a problem's code alone decides; `INVALID_REQUEST` → type `/problems/invalid-request`. */
export function problemKind(code: ProblemCode) {
  const { status, title } = PROBLEMS[code];
  const type = `/problems/${code.toLowerCase().replaceAll('_', '-')}`;
  return { type, title, status, code, statusCode: status } as const;
}
