import { Converter } from '@apiture/openapi-down-convert';

/** @returns the OpenAPI 3.1 document as 3.0, for tools that do not read 3.1 */
export function toOpenApi30(document: { readonly info: object }): object {
  const info = { ...document.info, summary: undefined };
  const simple = JSON.parse(JSON.stringify({ ...document, info }), (_key, value: unknown) => simplify(value));
  return new Converter(simple).convert();
}

/** Leaves out what 3.0 lacks and the converter keeps: conditions, and lists of types without null. */
function simplify(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const { if: _if, then: _then, ...rest }: Readonly<Record<string, unknown>> = { ...value };
  const { type, allOf, ...others } = rest;
  if (Array.isArray(type) && !type.includes('null')) return { ...others, anyOf: type.map((one) => ({ type: one })) };
  return Array.isArray(allOf) && allOf.every((part) => Object.keys(part).length === 0) ? { type, ...others } : rest;
}
