import Ajv2020 from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { ROUTES } from '../../../infra/routes.ts';
import { buildOpenApi } from '../../../shared/contract/openapi/openapi.ts';
import type { TestResponse } from './gateway-event.ts';

const document = buildOpenApi(ROUTES, { version: '0.0.0' });
const ajv = new Ajv2020.default({ strict: false, allErrors: true });
addFormats.default(ajv);
ajv.addSchema(document, 'openapi');

/**
 * @throws Error unless the response is as the OpenAPI document describes it: its status is one of the operation's, its body is valid against the schema,
 * and it has all headers of that status (before API Gateway renames some of them)
 */
export function checkAgainstDocument(resource: string, response: TestResponse): void {
  const [[method, operation] = []] = Object.entries(document.paths[resource] ?? {});
  if (method === undefined || operation === undefined) throw new Error(`the document has no path ${resource}`);
  const pointer = `/paths/${escapePointer(resource)}/${method}/responses/${response.status}`;
  const [sent = ''] = response.headers['Content-Type']?.split(';') ?? [];
  const media = response.status === 200 ? sent : 'application/problem+json';
  if (sent !== media) throw new Error(`the media type is not ${media}`);
  const validate = ajv.getSchema(`openapi#${pointer}/content/${escapePointer(media)}/schema`);
  if (validate === undefined) throw new Error(`the document has no response ${response.status} for ${resource}`);
  const value = media.endsWith('json') ? response.body : response.text;
  if (!validate(value)) throw new Error(`${resource} ${response.status}: ${ajv.errorsText(validate.errors)}`);
  for (const name of documentedHeaders(operation, response.status)) {
    if (response.headers[name] === undefined)
      throw new Error(`the response ${response.status} lacks the header ${name}`);
  }
}

function documentedHeaders(operation: object, status: number): string[] {
  const { responses } = operation as { responses: Record<string, { headers?: object }> }; // as buildOpenApi makes it
  const names = Object.keys(responses[status]?.headers ?? {}).map((name) => name.replace('x-amzn-Remapped-', ''));
  return names.filter((name) => !OPTIONAL_HEADERS.test(name));
}

/** Link is absent on the last page, RateLimit if the key has no limits, Content-Encoding unless the page is compressed because of its size, others from JSON. */
const OPTIONAL_HEADERS = /^(Link|RateLimit(-Policy)?|Content-Encoding|X-Total-Count|Endcap-.*)$/;

const escapePointer = (step: string): string => encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1'));
