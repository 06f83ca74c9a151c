import { createHash } from 'node:crypto';
import { buildOpenApi } from '../../shared/contract/openapi/openapi.ts';
import { ROUTES } from '../config/routes.ts';

/** The file with the generated types of the TypeScript client, relative to the root. */
export const CLIENT_SCHEMA = 'shared/web/client/schema.ts';

type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/** Members of the OpenAPI document that the client's types do not need. */
const OMITTED: ReadonlySet<string> = new Set(['example', 'examples', 'headers', 'security', 'securitySchemes', 'tags']);

/** @returns the part of the OpenAPI document that the client's types are generated from: without error responses, extensions, and the members in OMITTED */
export function clientDocument(): Json {
  return prune(JSON.parse(JSON.stringify(buildOpenApi(ROUTES, { version: '2' }))));
}

/** @returns the line of the generated file that identifies the document it was generated from */
export function documentDigest(document: Json): string {
  return `Digest of the document: ${createHash('sha256').update(JSON.stringify(document)).digest('hex').slice(0, 16)}`;
}

/** @param areNames whether the keys of `value` are property names of a schema, which are never omitted */
function prune(value: Json, areNames = false): Json {
  if (Array.isArray(value)) return value.map((item) => prune(item));
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).filter(([name]) => areNames || !isOmitted(name));
  return Object.fromEntries(members.map(([name, member]) => [name, prune(member, !areNames && name === 'properties')]));
}

/** @returns whether the member is in OMITTED, an extension, or an error response; all error responses have the same schema, problem details */
function isOmitted(name: string): boolean {
  return OMITTED.has(name) || name.startsWith('x-') || /^[45]\d\d$/.test(name);
}
