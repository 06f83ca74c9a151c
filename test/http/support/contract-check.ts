import Ajv2020 from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { ROUTES } from '../../../infra/config/routes.ts';
import { FILE_HEADERS, PARAMETER_WARNINGS } from '../../../shared/contract/header-names.ts';
import { buildOpenApi } from '../../../shared/contract/openapi/openapi.ts';
import { Problem } from '../../../shared/contract/problem.ts';
import type { TestResponse } from './gateway-event.ts';

const document = buildOpenApi(ROUTES, { version: '0.0.0' });
const ajv = new Ajv2020.default({ strict: false, allErrors: true });
addFormats.default(ajv);
ajv.addSchema(document, 'openapi');

/**
 * @throws Error unless the response is as the OpenAPI document describes it: its status is one of the operation's, its body is valid against the schema,
 * and it has the headers of that status, by their names before API Gateway changes some of them. Headers that a valid response may lack are not required;
 * those of `FILE_HEADERS` only if the body is not JSON, and `Vary` only if the status is 200.
 */
export function checkAgainstDocument(resource: string, sentMethod: string, response: TestResponse): void {
  const operations = Object.entries(document.paths[resource] ?? {});
  const [method, operation] = operations.find(([name]) => name === sentMethod.toLowerCase()) ?? operations[0] ?? [];
  if (method === undefined || operation === undefined) throw new Error(`the document has no path ${resource}`);
  const pointer = `/paths/${escapePointer(resource)}/${method}/responses/${response.status}`;
  const [sent = ''] = response.headers['Content-Type']?.split(';') ?? [];
  const media = response.status === 200 ? sent : 'application/problem+json';
  if (sent !== media) throw new Error(`the media type is not ${media}`);
  const contents = media.endsWith('json') ? 'content' : 'x-endcap-formats';
  const validate = ajv.getSchema(`openapi#${pointer}/${contents}/${escapePointer(media)}/schema`);
  if (validate === undefined) throw new Error(`the document has no response ${response.status} for ${resource}`);
  const value = media.endsWith('json') ? response.body : response.text;
  if (!validate(value)) throw new Error(`${resource} ${response.status}: ${ajv.errorsText(validate.errors)}`);
  if (media.endsWith('json')) checkMembers(Object(operation).operationId, response);
  for (const name of requiredHeaders(operation, response.status, media)) {
    if (response.headers[name] === undefined)
      throw new Error(`the response ${response.status} lacks the header ${name}`);
  }
}

/** The document allows further members and codes, for later versions. @throws Error if this one sends any that it does not define */
function checkMembers(operationId: string, { status, body }: TestResponse): void {
  const schema = status === 200 ? ROUTES.find(({ id }) => id === operationId)?.operation.response : Problem;
  const { error } = schema?.safeParse(body) ?? {};
  if (error !== undefined) throw new Error(`${operationId} ${status}: ${error.message}`);
}

function requiredHeaders(operation: object, status: number, media: string): string[] {
  const { responses } = operation as { responses: Record<string, { headers?: object }> }; // as buildOpenApi makes it
  const names = Object.keys(responses[status]?.headers ?? {}).map((name) => name.replace('x-amzn-Remapped-', ''));
  const optional = new Set<string>([
    ...OPTIONAL_HEADERS,
    ...(media.endsWith('json') ? Object.values(FILE_HEADERS) : []),
    ...(status === 200 ? [] : ['Vary']),
  ]);
  return names.filter((name) => !optional.has(name));
}

/** Headers that depend on the page, the data, the request or the key. */
const OPTIONAL_HEADERS = [
  ...['Link', 'Content-Encoding', 'RateLimit', 'RateLimit-Policy', PARAMETER_WARNINGS],
  ...[FILE_HEADERS.nextOffset, FILE_HEADERS.dataCompleteThrough, FILE_HEADERS.warningsOmitted],
  ...[FILE_HEADERS.dataFinalThrough, FILE_HEADERS.dataUpdatedAt],
  ...[FILE_HEADERS.comparedTotals, FILE_HEADERS.compared],
];

const escapePointer = (step: string): string => encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1'));
