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
 * @throws Error unless the OpenAPI document has the answer: its status among the operation's, its body by the schema, and each header the document
 * promises for that status (those that API Gateway renames under their own names)
 */
export function checkAgainstDocument(resource: string, answer: TestResponse): void {
  const [[method, operation] = []] = Object.entries(document.paths[resource] ?? {});
  if (method === undefined || operation === undefined) throw new Error(`the document has no path ${resource}`);
  const at = `/paths/${escapePointer(resource)}/${method}/responses/${answer.status}`;
  const media = answer.status === 200 ? 'application/json' : 'application/problem+json';
  if (answer.headers['Content-Type'] !== media) throw new Error(`the media type is not ${media}`);
  const validate = ajv.getSchema(`openapi#${at}/content/${escapePointer(media)}/schema`);
  if (validate === undefined) throw new Error(`the document has no answer ${answer.status} for ${resource}`);
  if (!validate(answer.body)) throw new Error(`${resource} ${answer.status}: ${ajv.errorsText(validate.errors)}`);
  for (const name of promisedHeaders(operation, answer.status)) {
    if (answer.headers[name] === undefined) throw new Error(`the answer ${answer.status} lacks the header ${name}`);
  }
}

function promisedHeaders(operation: object, status: number): string[] {
  const { responses } = operation as { responses: Record<string, { headers?: object }> }; // as buildOpenApi makes it
  const names = Object.keys(responses[status]?.headers ?? {}).map((name) => name.replace('x-amzn-Remapped-', ''));
  return names.filter((name) => name !== 'Link'); // only where a page follows
}

const escapePointer = (step: string): string => encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1'));
