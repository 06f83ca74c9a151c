import * as z from 'zod/mini';
import { Problem } from '../problem.ts';
import { type ExamplePeriod, type OperationExamples, openApiExamples } from './examples.ts';
import { describeDimensions, describeMetrics } from './fields.ts';
import { OPERATIONS, type Operation } from './operations.ts';
import { COMMON_HEADERS, COMMON_PROBLEMS, HEADERS, problemResponses } from './responses.ts';

/** What the document takes of a route; its id is the operation's. */
export interface RouteRow {
  readonly id: string;
  readonly method: string;
  readonly path: string;
}

export interface OpenApiOptions {
  /** Version of the service that is described. */
  readonly version: string;
  /** Where the paths start; ends with the version segment. */
  readonly serverUrl?: string;
  /** What the example of a report asks for; some fixed week unless given. */
  readonly examplePeriod?: ExamplePeriod;
}

type JsonSchema = Readonly<Record<string, unknown>>;

const TAGS = [
  {
    name: 'Metadata',
    description: 'What the reports speak of: accounts, advertisers, contacts, addresses and placements.',
  },
  { name: 'Products', description: 'What an ad group can advertise.' },
  { name: 'Reports', description: 'Figures of an advertising experience, answered at once.' },
  { name: 'Tokens', description: 'The caller’s JWT.' },
];

const SECURITY_SCHEMES = {
  apiKeyHeader: { type: 'apiKey', in: 'header', name: 'Ocp-Apim-Subscription-Key', description: 'Your API key.' },
  apiKeyQuery: {
    type: 'apiKey',
    in: 'query',
    name: 'subscription-key',
    description: 'The same key; the header is the better place, for addresses end up in logs.',
  },
  bearer: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'A JWT of `GET /jwt`. Not needed; verified where it is sent beside the key.',
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
  'Every request bears an API key. Errors are problem details (RFC 9457) with a stable `code`; all fields that are wrong are reported at once. ' +
  'A path takes the one method that is listed; others, HEAD and OPTIONS among them, are answered 405.';

/**
 * @param routes each must be one of the contract's operations, by its id
 * @returns the OpenAPI 3.1 document
 */
export function buildOpenApi(routes: readonly RouteRow[], options: OpenApiOptions) {
  const paths: Record<string, Record<string, object>> = {};
  const examples = openApiExamples(options.examplePeriod);
  for (const { id, method, path } of routes) {
    const operation = OPERATIONS[id];
    const shown = examples[id];
    if (operation === undefined || shown === undefined) throw new Error(`the contract has no operation ${id}`);
    paths[path] = { ...paths[path], [method.toLowerCase()]: describeOperation(id, operation, shown) };
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
    components: { securitySchemes: SECURITY_SCHEMES, headers: HEADERS, schemas: componentSchemas() },
  };
}

function describeOperation(operationId: string, operation: Operation, examples: OperationExamples): object {
  const { summary, description, tag, path, query, body, answer, paged, problems } = operation;
  const parameters = [...parametersIn('path', path), ...parametersIn('query', query)];
  return {
    operationId,
    summary,
    description,
    tags: [tag],
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined ? {} : { requestBody: { required: true, content: jsonContent(body, examples.body) } }),
    responses: {
      200: {
        description: paged ? 'The page.' : 'The answer.',
        headers: { ...COMMON_HEADERS, ...(paged ? { Link: { $ref: '#/components/headers/Link' } } : {}) },
        content: jsonContent(answer, examples.answer),
      },
      ...problemResponses([...problems, ...COMMON_PROBLEMS]),
    },
  };
}

function parametersIn(place: 'path' | 'query', schema: z.ZodMiniObject | undefined): object[] {
  return Object.entries(schema?.shape ?? {}).map(([name, member]) => {
    const { description, examples, $schema: _, ...json } = toJsonSchema(member);
    const [example] = Array.isArray(examples) ? examples : [];
    const required = place === 'path' || json.default === undefined;
    return { name, in: place, required, description, schema: json, example };
  });
}

function jsonContent(schema: z.ZodMiniType, example?: object): object {
  const id = z.globalRegistry.get(schema)?.id;
  if (id === undefined) throw new Error('a body has no name in the document');
  return { 'application/json': { schema: { $ref: `#/components/schemas/${id}` }, ...(example && { example }) } };
}

/** @returns every named schema that an operation or an error answer refers to. */
function componentSchemas(): Record<string, JsonSchema> {
  const roots = Object.values(OPERATIONS).flatMap(({ body, answer }) =>
    body === undefined ? [answer] : [body, answer],
  );
  const found: Record<string, JsonSchema> = {};
  for (const root of [...roots, Problem]) Object.assign(found, definitionsOf(root));
  return {
    ...found,
    Metric: { ...found.Metric, ...describeMetrics() },
    Dimension: { ...found.Dimension, ...describeDimensions() },
  };
}

/** @returns the schema's own definition and those it uses, by name. */
function definitionsOf(schema: z.ZodMiniType): Record<string, JsonSchema> {
  const json = JSON.stringify(toJsonSchema(schema)).replaceAll('"#/$defs/', '"#/components/schemas/');
  const { $defs = {} } = JSON.parse(json);
  return $defs;
}

/** Of a parameter that is sent as text the document shows what it stands for: the schema's output. */
function toJsonSchema(schema: z.core.$ZodType): JsonSchema {
  return z.toJSONSchema(schema, { io: 'output', unrepresentable: 'any' });
}
