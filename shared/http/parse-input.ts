import type { APIGatewayProxyEvent } from 'aws-lambda';
import * as z from 'zod/mini';
import { suggestNames } from '../catalog/describe/suggest.ts';
import { toFieldProblems } from '../contract/field-problems.ts';
import { MAX_LISTED_FIELDS } from '../contract/problem.ts';
import { ApiError, type FieldProblem } from '../lib/errors.ts';
import { KEY_QUERY } from './api-key.ts';
import { headerJson } from './format/file-headers.ts';
import type { ApiMiddleware, ParsedInput } from './message/api-request.ts';
import { JSON_REPRESENTATION } from './message/negotiate.ts';

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

/** All headers of a response together may have 10,240 bytes, of which a report as a file uses up to 7,500 (`file-headers.ts`). */
const MAX_LISTED = 3;

/**
 * Unknown query parameters are ignored, so a typing error would silently select something else, such as all items instead of some.
 * @param known the parameters of the endpoint besides the key
 * @returns the value of the header, with a warning for each of the first unknown ones, without their values, which may be secret; undefined if there is none
 */
export function describeUnknownParameters(
  { multiValueQueryStringParameters }: Pick<APIGatewayProxyEvent, 'multiValueQueryStringParameters'>,
  known: readonly string[],
): string | undefined {
  const names = Object.keys(multiValueQueryStringParameters ?? {}).filter(
    (name) => name !== KEY_QUERY && !known.includes(name),
  );
  if (names.length === 0) return undefined;
  return headerJson(names.slice(0, MAX_LISTED).map((name) => describeUnknown(name, known)));
}

function describeUnknown(name: string, known: readonly string[]): object {
  const parameter = name.slice(0, 40);
  const suggestions = suggestNames(name, known);
  const advice = suggestions.length === 0 ? listKnown(known) : `Did you mean ${suggestions.join(' or ')}?`;
  return { code: 'UNKNOWN_PARAMETER', parameter, detail: `This parameter is unknown and was ignored. ${advice}` };
}

function listKnown(known: readonly string[]): string {
  return known.length === 0 ? 'There are no parameters here.' : `The parameters are ${known.join(', ')}.`;
}
