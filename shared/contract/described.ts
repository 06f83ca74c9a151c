import * as z from 'zod/mini';

/**
 * @returns the check that adds description and examples to a schema, for the OpenAPI document
 * @example z.int().check(z.minimum(0), described('Number of items to skip.', 0, 10))
 */
export function described(description: string, ...examples: readonly unknown[]) {
  return z.meta(examples.length === 0 ? { description } : { description, examples: [...examples] });
}
