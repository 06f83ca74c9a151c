import * as z from 'zod/mini';
import { experienceParameter } from '../parameters.ts';
import { Problem } from '../problem.ts';
import { pageMeta } from '../resources/listing.ts';
import { type ExamplePeriod, type OperationExamples, openApiExamples } from './examples.ts';
import { describeDimensions, describeMetrics, describeRow, RELATIVE_CHANGES } from './fields.ts';
import { fileContents, fileHeaders } from './files.ts';
import type { Operation } from './operations.ts';
import {
  COMMON_HEADERS,
  COMMON_PROBLEMS,
  HEADERS,
  PARAMETER_HEADERS,
  PUBLIC_HEADERS,
  PUBLIC_PROBLEMS,
  problemResponses,
} from './responses.ts';

/** The part of a route that the document needs. */
interface RouteRow {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

interface OpenApiOptions {
  readonly version: string;
  /** Base of the paths; ends with the version segment. Default `/v2`. */
  readonly serverUrl?: string;
  /** Days of the example report; a fixed week by default. */
  readonly examplePeriod?: ExamplePeriod;
}

type JsonSchema = Readonly<Record<string, unknown>>;

const TAGS = [
  {
    name: 'Metadata',
    description:
      'Accounts, advertisers, contacts, addresses, placements, campaigns, ad groups, and the fields of reports.',
  },
  { name: 'Products', description: 'The products of an ad group.' },
  { name: 'Reports', description: 'Reports over an advertising experience; the response has the rows.' },
  { name: 'Tokens', description: 'Signed tokens that identify the caller.' },
];

const SECURITY_SCHEMES = {
  apiKeyHeader: { type: 'apiKey', in: 'header', name: 'Ocp-Apim-Subscription-Key', description: 'Your API key.' },
  apiKeyQuery: {
    type: 'apiKey',
    in: 'query',
    name: 'subscription-key',
    description: 'The same key in the query. Prefer the header, because URLs are often logged.',
  },
  bearer: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'A JWT from `GET /jwt`. Optional; it is verified if it is sent in addition to the key.',
  },
};

const SECURITY = [
  { apiKeyHeader: [] },
  { apiKeyQuery: [] },
  { apiKeyHeader: [], bearer: [] },
  { apiKeyQuery: [], bearer: [] },
];

const DESCRIPTION =
  'Read-only metadata listings, the products available to an ad group, reports over advertising experiences, and tokens.\n\n' +
  'Every request needs an API key, except that for the public keys. Errors are problem details (RFC 9457) with a stable `code`; all invalid fields of a request are reported together. ' +
  'A path supports only the methods that are listed; for others, including HEAD and OPTIONS (except preflights from origins that the operator allows), the response is 405.';

/** @returns the OpenAPI 3.1 document of the routes */
export function buildOpenApi(routes: readonly RouteRow[], options: OpenApiOptions) {
  const paths: Record<string, Record<string, object>> = {};
  const examples = openApiExamples(options.examplePeriod);
  for (const { id, method, path, operation } of routes) {
    const example = examples[id] ?? listingExample(id, operation);
    paths[path] = { ...paths[path], [method.toLowerCase()]: describeOperation(id, operation, example) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Endcap',
      version: options.version,
      summary: 'The advertising platform API of a retail media network',
      description: DESCRIPTION,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: options.serverUrl ?? '/v2', description: 'Version 2' }],
    security: SECURITY,
    tags: TAGS,
    paths,
    components: { securitySchemes: SECURITY_SCHEMES, headers: HEADERS, schemas: componentSchemas(routes) },
  };
}

/** @returns the example of a listing: a page with one item, whose members are the examples of the item's schema */
function listingExample(name: string, { response }: Operation): OperationExamples {
  const definitions = definitionsOf(response);
  const page = definitions[z.globalRegistry.get(response)?.id ?? ''];
  const [, item = ''] = /schemas\/(\w+)$/.exec(Object(page?.properties).data?.items?.$ref) ?? [];
  const members = Object.entries<{ examples?: unknown[] }>(Object(definitions[item]?.properties));
  const data = [
    Object.fromEntries(
      members.flatMap(([key, { examples = [] }]) => examples.slice(0, 1).map((value) => [key, value])),
    ),
  ];
  return { name, summary: 'A page with one item', response: { data, meta: pageMeta({ offset: 0, size: 100 }, 1) } };
}

function describeOperation(operationId: string, operation: Operation, example: OperationExamples): object {
  const { summary, description, tag, input, response, paged, formats = [], problems } = operation;
  const { path, query, body } = input;
  const isPublic = operation.public === true;
  const link = paged ? { Link: { $ref: '#/components/headers/Link' } } : {};
  const compression = { 'Content-Encoding': { $ref: '#/components/headers/ContentEncoding' } };
  const files = formats.length === 0 ? {} : fileHeaders(paged ? 'listing' : 'report');
  const parameters = [...parametersIn('path', path), ...parametersIn('query', query)];
  return {
    operationId,
    summary,
    description,
    tags: [tag],
    ...(isPublic ? { security: [] } : {}),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined
      ? {}
      : { requestBody: { required: true, content: jsonContent(body, named(example, example.body)) } }),
    responses: {
      200: {
        description: paged ? 'The page.' : 'The result.',
        headers: isPublic
          ? PUBLIC_HEADERS
          : { ...COMMON_HEADERS, ...PARAMETER_HEADERS, ...link, ...compression, ...files },
        content: jsonContent(response, named(example, example.response)),
        ...fileContents(formats, named(example, example.csv)),
      },
      ...problemResponses([...problems, ...(isPublic ? PUBLIC_PROBLEMS : COMMON_PROBLEMS)], formats.length > 0),
    },
  };
}

function parametersIn(part: 'path' | 'query', schema: z.ZodMiniObject | undefined): object[] {
  return Object.entries(schema?.shape ?? {}).map(([name, member]) => {
    const id = z.globalRegistry.get(member)?.id;
    const found = id === undefined ? toJsonSchema(member) : Object(definitionsOf(member)[id]);
    const { description, examples, $schema: _, ...json } = found;
    const [example] = Array.isArray(examples) ? examples : [];
    const required = !z.safeParse(member, undefined).success;
    return { name, in: part, required, description, schema: id === undefined ? json : referTo(id), example };
  });
}

function jsonContent(schema: z.ZodMiniType, examples: { readonly examples?: object }): object {
  const id = z.globalRegistry.get(schema)?.id;
  if (id === undefined) throw new Error('the schema of a body has no id');
  return { 'application/json': { schema: referTo(id), ...examples } };
}

/** @returns the value as the only, named example of a media type; nothing if it is undefined */
function named({ name, summary }: OperationExamples, value: unknown): { readonly examples?: object } {
  return value === undefined ? {} : { examples: { [name]: { summary, value } } };
}

function referTo(id: string): { readonly $ref: string } {
  return { $ref: `#/components/schemas/${id}` };
}

/** @returns all named schemas that operations and error responses refer to */
function componentSchemas(routes: readonly RouteRow[]): Record<string, JsonSchema> {
  const bodies = routes.flatMap(({ operation }) => operation.input.body ?? []);
  const responses = routes.map(({ operation }) => operation.response);
  const found: Record<string, JsonSchema> = {};
  for (const root of [experienceParameter, ...bodies]) Object.assign(found, definitionsOf(root));
  for (const root of [...responses, Problem]) Object.assign(found, open(definitionsOf(root)));
  return {
    ...found,
    ReportResultResponse: withRows(found.ReportResultResponse),
    ReportRow: describeRow(referTo('ReportRow'), referTo('RelativeChanges')),
    RelativeChanges: RELATIVE_CHANGES,
    Metric: { ...found.Metric, ...describeMetrics() },
    Dimension: { ...found.Dimension, ...describeDimensions() },
  };
}

/**
 * @returns the schemas of responses, open to additions of later versions: objects may have further members, and the values of an enumeration are those known
 * so far (`x-extensible-enum`).
 */
function open(definitions: Record<string, JsonSchema>): Record<string, JsonSchema> {
  return JSON.parse(JSON.stringify(definitions), (_key, value: unknown) =>
    isSchema(value) ? openSchema(value) : value,
  );
}

function openSchema({ additionalProperties: _, enum: values, const: only, ...schema }: JsonSchema): JsonSchema {
  const known = values ?? (only === undefined ? undefined : [only]);
  return known === undefined ? schema : { ...schema, 'x-extensible-enum': known };
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** @returns the schema of a report whose rows and totals have the types of their fields; the service's own schema allows any name */
function withRows(report: JsonSchema | undefined): JsonSchema {
  const row = referTo('ReportRow');
  const properties: Readonly<Record<string, JsonSchema>> = Object(report?.properties);
  const totals = Object.entries(properties).filter(([name]) => /totals$/i.test(name));
  const ofTotals = Object.fromEntries(
    totals.map(([name, { description }]) => {
      return [name, { description, ...(name === 'relativeChangeTotals' ? referTo('RelativeChanges') : row) }];
    }),
  );
  return { ...report, properties: { ...properties, data: { ...properties.data, items: row }, ...ofTotals } };
}

/** @returns the definitions of the schema and of all schemas it refers to, by name */
function definitionsOf(schema: z.core.$ZodType): Record<string, JsonSchema> {
  const json = JSON.stringify(toJsonSchema(schema)).replaceAll('"#/$defs/', '"#/components/schemas/');
  const { $defs = {} } = JSON.parse(json);
  return $defs;
}

/** @returns the JSON schema of the output, so that a parameter that is sent as text appears with its parsed type */
function toJsonSchema(schema: z.core.$ZodType): JsonSchema {
  return z.toJSONSchema(schema, {
    io: 'output',
    unrepresentable: 'any',
    override: ({ jsonSchema }) => {
      // generators take 32 bits otherwise
      if (jsonSchema.type === 'integer') jsonSchema.format = 'int64';
      if (jsonSchema.type === 'number') jsonSchema.format = 'double';
      // the output has members with a default always, the request need not
      const { required, properties = {} } = jsonSchema;
      if (required !== undefined)
        jsonSchema.required = required.filter((name) => Object(properties[name]).default === undefined);
      const [value, none, ...others] = jsonSchema.anyOf ?? [];
      if (none?.type !== 'null' || others.length > 0) return;
      delete jsonSchema.anyOf; // a list of two types is shorter, and can be converted to OpenAPI 3.0
      Object.assign(jsonSchema, value, { type: [value?.type, 'null'] });
    },
  });
}
