import * as z from 'zod/mini';
import { toFieldProblems } from '../contract/field-problems.ts';
import { MAX_LISTED_FIELDS } from '../contract/problem.ts';
import { ApiError, type FieldProblem } from '../lib/errors.ts';
import type { ApiEvent, ApiRequest } from './api-request.ts';

/** The schemas of what an endpoint reads; what has no schema is not looked at. */
export interface InputSchemas {
  readonly path?: z.ZodMiniType;
  readonly query?: z.ZodMiniType;
  readonly body?: z.ZodMiniType;
}

export type Input<Schemas extends InputSchemas> = {
  readonly [Place in keyof Schemas]: Schemas[Place] extends z.ZodMiniType ? z.output<Schemas[Place]> : undefined;
};

/** Parses path, query and body, and reports everything that is wrong in any of them at once. */
export const parseInput = (schemas: InputSchemas) => ({
  before: ({ event }: ApiRequest): void => {
    const parsed: Record<string, unknown> = {};
    const problems: FieldProblem[] = [];
    for (const place of ['path', 'query', 'body'] as const) {
      const schema = schemas[place];
      if (schema === undefined) continue;
      const result = z.safeParse(schema, sentIn(place, event), { reportInput: true });
      if (result.success) parsed[place] = result.data;
      else for (const problem of toFieldProblems(result.error.issues, place)) problems.push(problem);
    }
    if (problems.length > 0) throw refuse(problems);
    event.state.input = parsed;
  },
});

/** Of a repeated query parameter the gateway's single-value map has the last value. */
function sentIn(place: keyof InputSchemas, event: ApiEvent): unknown {
  if (place === 'body') return event.body;
  return (place === 'path' ? event.pathParameters : event.queryStringParameters) ?? {};
}

function refuse(fields: readonly FieldProblem[]): ApiError {
  const count = fields.length === 1 ? 'One field is wrong' : `${fields.length} fields are wrong`;
  const listed = fields.length > MAX_LISTED_FIELDS ? `; errors lists the first ${MAX_LISTED_FIELDS}` : '; see errors';
  return new ApiError('INVALID_REQUEST', `${count}${listed}.`, { fields });
}
