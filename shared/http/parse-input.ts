import type { APIGatewayProxyEvent } from 'aws-lambda';
import * as z from 'zod/mini';
import { toFieldProblems } from '../contract/field-problems.ts';
import { MAX_LISTED_FIELDS } from '../contract/problem.ts';
import { ApiError, type FieldProblem } from '../lib/errors.ts';
import type { ApiMiddleware, ParsedInput } from './message/api-request.ts';
import { JSON_REPRESENTATION } from './message/negotiate.ts';
import { describeUnknownParameters } from './unknown-parameters.ts';

/** Schemas of an endpoint's input; a part without a schema is not parsed. */
export interface InputSchemas {
  readonly path?: z.ZodMiniType;
  readonly query?: z.ZodMiniType;
  readonly body?: z.ZodMiniType;
}

export type Input<Schemas extends InputSchemas> = {
  readonly [Part in keyof Schemas]: Schemas[Part] extends z.ZodMiniType ? z.output<Schemas[Part]> : undefined;
};

/**
 * Parses path, query and body, and reports the problems of all three together. Unknown query parameters are ignored, with a warning.
 * @param fileSchemas for requests whose response is CSV or Arrow
 */
export const parseInput = (jsonSchemas: InputSchemas, fileSchemas: InputSchemas): ApiMiddleware => {
  const knownParameters = parametersOf(jsonSchemas.query);
  return {
    before: ({ event, context: { state } }) => {
      const { format } = state.representation ?? JSON_REPRESENTATION;
      const schemas = format === 'json' ? jsonSchemas : fileSchemas;
      state.parameterWarnings = describeUnknownParameters(event, knownParameters);
      const parsed: { -readonly [Part in keyof ParsedInput]: unknown } = {};
      const problems: FieldProblem[] = [];
      for (const part of ['path', 'query', 'body'] as const) {
        const schema = schemas[part];
        if (schema === undefined) continue;
        const result = z.safeParse(schema, partOf(event, part), { reportInput: true });
        if (result.success) parsed[part] = result.data;
        else for (const problem of toFieldProblems(result.error.issues, part)) problems.push(problem);
      }
      if (problems.length > 0) throw invalidRequest(problems);
      state.input = parsed;
    },
  };
};

function parametersOf(schema: z.ZodMiniType | undefined): string[] {
  return schema instanceof z.ZodMiniObject ? Object.keys(schema.shape) : [];
}

/** If a query parameter is repeated, its last value counts: the gateway's single-value map holds that one. */
function partOf(event: APIGatewayProxyEvent, part: keyof InputSchemas): unknown {
  if (part === 'body') return event.body;
  return (part === 'path' ? event.pathParameters : event.queryStringParameters) ?? {};
}

function invalidRequest(fields: readonly FieldProblem[]): ApiError {
  const { length } = fields;
  const count = length === 1 ? 'One field is invalid' : `${length} fields are invalid`;
  // not all wrong members of a long list are counted
  const detail =
    length > MAX_LISTED_FIELDS
      ? `At least ${count}; errors lists the first ${MAX_LISTED_FIELDS}.`
      : `${count}; see errors.`;
  return new ApiError('INVALID_REQUEST', detail, { fields });
}
