import * as z from 'zod/mini';
import { FIELD_CODES, PROBLEMS, type ProblemCode } from '../lib/errors.ts';
import { keysOf } from '../lib/keys-of.ts';
import { described } from './described.ts';

const FIELD_CODE_NAMES = keysOf(FIELD_CODES);
const PROBLEM_CODE_NAMES = keysOf(PROBLEMS);

/**
 * Maximum number of fields listed in one problem. If a request has more invalid ones, `detail` begins with 'At least N fields are invalid', because not all
 * members of long lists are counted.
 */
export const MAX_LISTED_FIELDS = 100;

const ErrorDateTime = z
  .strictObject({
    value: z.iso.datetime().check(described('ISO time string.', '2026-03-01T12:00:00.000Z')),
    timezone: z.string().check(described('Timezone abbreviation.', 'UTC')),
  })
  .check(z.meta({ id: 'ErrorDateTime', description: 'The time at which an error occurred.' }));

const FieldProblem = z
  .strictObject({
    in: z.enum(['query', 'path', 'header', 'body']),
    pointer: z
      .string()
      .check(
        described(
          'JSON pointer into the body, or the name of the parameter or header.',
          '/pagination/size',
          'account_id',
        ),
      ),
    code: z
      .enum(FIELD_CODE_NAMES)
      .check(
        z.meta({ description: 'What is wrong with the field.', 'x-enum-descriptions': Object.values(FIELD_CODES) }),
      ),
    detail: z.string().check(described('What is allowed in the field.')),
  })
  .check(z.meta({ id: 'FieldProblem', description: 'An invalid field of the request.' }));

/** The body of every error response (RFC 9457). `instance` and `occurredAt` are missing in errors of the gateway itself. */
export const Problem = z
  .strictObject({
    type: z.string().check(
      z.meta({
        description: 'Stable identifier of the kind of problem, and the path of a page about it.',
        format: 'uri-reference',
      }),
    ),
    title: z.string().check(described('Title of the kind of problem; the same for every problem with this code.')),
    status: z.int().check(z.minimum(400), z.maximum(599)),
    detail: z.string().check(described('What is wrong with this request, and what is allowed.')),
    instance: z.optional(
      z.string().check(z.meta({ description: 'Path of the request, without its query.', format: 'uri-reference' })),
    ),
    code: z.enum(PROBLEM_CODE_NAMES).check(
      z.meta({
        description: 'Kind of problem. Later versions may add kinds; handle those by `status`.',
        'x-enum-descriptions': PROBLEM_CODE_NAMES.map((code) => PROBLEMS[code].title),
      }),
    ),
    requestId: z
      .string()
      .check(
        described('Id of the request; quote it in questions about this response. Also in the header x-request-id.'),
      ),
    occurredAt: z.optional(ErrorDateTime),
    errors: z
      .array(FieldProblem)
      .check(z.maxLength(MAX_LISTED_FIELDS), described(`All invalid fields, up to ${MAX_LISTED_FIELDS}.`)),
    statusCode: z.int().check(z.minimum(400), z.maximum(599), described('The same as status.')),
    message: z.string().check(described('The same as detail.')),
  })
  .check(z.meta({ id: 'Problem', description: 'An error response (RFC 9457 problem details).' }));

/** The version segment, with which every path of the API begins. */
export const BASE_PATH = '/v2';

/** @returns the members that are the same for every problem with the code; `INVALID_REQUEST` has the type `/v2/problems/invalid-request`, which leads to a page */
export function problemKind(code: ProblemCode) {
  const { status, title } = PROBLEMS[code];
  const type = `${BASE_PATH}/problems/${code.toLowerCase().replaceAll('_', '-')}`;
  return { type, title, status, code, statusCode: status } as const;
}
