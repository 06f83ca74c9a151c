import type { APIGatewayProxyEvent } from 'aws-lambda';
import * as z from 'zod/mini';
import { suggestNames } from '../catalog/describe/suggest.ts';
import { shortenName, toFieldProblems } from '../contract/field-problems.ts';
import { MAX_LISTED_FIELDS } from '../contract/problem.ts';
import type { ApiKey } from '../identity/keys/key-record.ts';
import { ApiError, type FieldProblem } from '../lib/errors.ts';
import { KEY_QUERY } from './api-key.ts';
import { headerJson } from './format/file-headers.ts';
import { type ApiMiddleware, type ParsedInput, queryValues, REPLACEMENT } from './message/api-request.ts';
import { JSON_REPRESENTATION, type ResponseFormat } from './message/negotiate.ts';

/** Schemas of an endpoint's input; a part without a schema is not parsed. */
export interface InputSchemas {
  readonly path?: z.ZodMiniType;
  readonly query?: z.ZodMiniType;
  readonly body?: z.ZodMiniType;
}

/** How the query of a GET states the body of a POST. */
export interface UrlInput {
  readonly parameters: readonly string[];
  readonly parameterOf: (pointer: string) => string;
  readonly read: (
    valuesOf: (name: string) => readonly string[],
    format: ResponseFormat,
  ) => { readonly body: object; readonly problems: readonly FieldProblem[]; readonly isWhole: boolean };
}

export type Input<Schemas extends InputSchemas> = {
  readonly [Part in keyof Schemas]: Schemas[Part] extends z.ZodMiniType ? z.output<Schemas[Part]> : undefined;
};

/**
 * Parses path, query and body, and reports the problems of all three together. Unknown query parameters are ignored, with a warning; in the URL of a report
 * they are problems, because without them it would be another report.
 * @param fileSchemas for requests whose response is CSV or Arrow
 * @param url makes the body of a GET, whose problems are about the parameters
 */
export const parseInput = (jsonSchemas: InputSchemas, fileSchemas: InputSchemas, url?: UrlInput): ApiMiddleware => {
  const knownParameters = parametersOf(jsonSchemas.query);
  return {
    before: ({ event, context: { state } }) => {
      const { format } = state.representation ?? JSON_REPRESENTATION;
      const schemas = format === 'json' ? jsonSchemas : fileSchemas;
      const ofUrl = event.httpMethod === 'GET' ? url : undefined;
      const known = ofUrl?.parameters ?? knownParameters;
      const unknown = findUnknownParameters(event, known);
      const keyWarnings = ofUrl !== undefined && isKeyExposed(event, state.key) ? [KEY_IN_URL] : [];
      state.parameterWarnings = warnOfParameters(ofUrl === undefined ? unknown : [], known, keyWarnings);
      checkUrlText(event);
      const read = ofUrl?.read((name) => queryValues(event, name), format);
      state.isWhole = read?.isWhole === true;
      const parsed: { -readonly [Part in keyof ParsedInput]: unknown } = {};
      const problems = [...(read?.problems ?? [])];
      if (ofUrl !== undefined) problems.push(...rejectUnknown(unknown, ofUrl));
      for (const part of ['path', 'query', 'body'] as const) {
        const schema = schemas[part];
        if (schema === undefined) continue;
        const result = z.safeParse(schema, part === 'body' && read !== undefined ? read.body : partOf(event, part), {
          reportInput: true,
        });
        if (result.success) parsed[part] = result.data;
        else for (const problem of toFieldProblems(result.error.issues, part)) problems.push(problem);
      }
      if (problems.length > 0) throw invalidRequest(problems);
      state.input = parsed;
    },
    onError: (request) => {
      const { error, event } = request;
      if (url === undefined || event.httpMethod !== 'GET' || !(error instanceof ApiError)) return;
      const { code, message: detail, headers, cause } = error;
      const fields = error.fields.map((field) =>
        field.in === 'body' ? { ...field, in: 'query' as const, pointer: url.parameterOf(field.pointer) } : field,
      );
      request.error = new ApiError(code, detail, { fields, headers, cause });
    },
  };
};

/** A key in the query of other operations is of the contract; the URL of a report is stored in sheets and BI tools. */
const KEY_IN_URL = {
  code: 'KEY_IN_URL',
  parameter: KEY_QUERY,
  detail: 'Whoever sees this URL can use the key. Ask the operator of the platform for a key that is made for URLs.',
};

function isKeyExposed(event: APIGatewayProxyEvent, key: ApiKey | undefined): boolean {
  return key !== undefined && key.isForUrls === undefined && queryValues(event, KEY_QUERY).length > 0;
}

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

/** Decoding replaces bytes that are not UTF-8, so that different texts could become equal. @throws ApiError MALFORMED_URL */
function checkUrlText({ multiValueQueryStringParameters, pathParameters }: APIGatewayProxyEvent): void {
  if (JSON.stringify([multiValueQueryStringParameters, pathParameters]).includes(REPLACEMENT))
    throw new ApiError('MALFORMED_URL', 'The URL is not UTF-8: it has invalid bytes, or U+FFFD.');
}

/** @returns the query parameters that are not known to the endpoint; those that begin with `_` only keep caches from responding */
function findUnknownParameters(
  { multiValueQueryStringParameters }: Pick<APIGatewayProxyEvent, 'multiValueQueryStringParameters'>,
  known: readonly string[],
): string[] {
  return Object.keys(multiValueQueryStringParameters ?? {}).filter(
    (name) => name !== KEY_QUERY && !name.startsWith('_') && !known.includes(name),
  );
}

/** @returns the problems; besides a misspelt parameter, the member of a POST in its place gets the right one */
function rejectUnknown(unknown: readonly string[], { parameters, parameterOf }: UrlInput): FieldProblem[] {
  return unknown.slice(0, MAX_LISTED_FIELDS + 1).map((name) => {
    const ofMember = parameterOf(`/${name}`); // unless there is none
    const detail = `This parameter is unknown. ${adviseParameter(parameters.includes(ofMember) ? ofMember : name, parameters)}`;
    return { in: 'query', pointer: shortenName(name), code: 'UNKNOWN_PARAMETER', detail };
  });
}

/** All headers of a response together may have 10,240 bytes, of which a report as a file uses up to 7,500 (`file-headers.ts`). */
const MAX_LISTED = 3;

/**
 * @param unknown query parameters that are ignored: a typing error silently selects something else, such as all items instead of some
 * @param known the parameters of the endpoint besides the key
 * @param others further warnings about parameters
 * @returns the value of the header, with a warning for each of the first unknown ones, without their values, which may be secret; undefined if there is none
 */
export function warnOfParameters(
  unknown: readonly string[],
  known: readonly string[],
  others: readonly object[] = [],
): string | undefined {
  const ignored = unknown.slice(0, MAX_LISTED).map((name) => {
    const detail = `This parameter is unknown and was ignored. ${adviseParameter(name, known)}`;
    return { code: 'UNKNOWN_PARAMETER', parameter: shortenName(name), detail };
  });
  const warnings = [...others, ...ignored];
  return warnings.length === 0 ? undefined : headerJson(warnings);
}

function adviseParameter(name: string, known: readonly string[]): string {
  const suggestions = suggestNames(name.replace(/\[.*/s, ''), known); // as in filter[]
  if (suggestions.length > 0) return `Did you mean ${suggestions.join(' or ')}?`;
  return known.length === 0 ? 'There are no parameters here.' : `The parameters are ${known.join(', ')}.`;
}
