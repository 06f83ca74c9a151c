import * as z from 'zod';
import { resourcesOf, shorten, type Template } from './synthesized.ts';

const Statement = z.object({
  Effect: z.literal('Allow'),
  Action: z.union([z.string(), z.array(z.string())]).transform((given) => [given].flat()),
  Condition: z
    .object({ 'ForAllValues:StringLike': z.object({ 'dynamodb:LeadingKeys': z.array(z.string()) }).optional() })
    .optional(),
});
const Policy = z.object({ Statement: z.array(Statement) });

/** The statements of a function's policy. */
export type Policy = z.output<typeof Policy>;

/** @param functionId the construct id of a function with those of its parents, such as `IngestionIngestFolder` */
export function policyOf(template: Template, functionId: string): Policy {
  const [found, ...more] = [...resourcesOf(template, 'AWS::IAM::Policy').values()].filter(
    ({ Properties }) => JSON.stringify(shorten(Properties.Roles)) === JSON.stringify([`${functionId}Role`]),
  );
  if (found === undefined || more.length > 0) throw new Error(`${functionId} has not exactly one policy`);
  return Policy.parse(shorten(found.Properties.PolicyDocument));
}

/**
 * @returns whether IAM would allow a call to the table
 * @param action such as `dynamodb:Query`
 * @param partitions the partition keys in the call
 */
export function isAllowed(policy: Policy, action: string, partitions: readonly string[]): boolean {
  return policy.Statement.some(({ Action, Condition }) => {
    if (!Action.includes(action)) return false;
    const patterns = Condition?.['ForAllValues:StringLike']?.['dynamodb:LeadingKeys'];
    if (patterns === undefined) return true;
    return partitions.length > 0 && partitions.every((key) => patterns.some((pattern) => isLike(key, pattern)));
  });
}

/** IAM's StringLike, in which `*` matches any text. */
function isLike(text: string, pattern: string): boolean {
  const parts = pattern.split('*').map((part) => part.replaceAll(/[\\^$.|?+()[\]{}]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`, 's').test(text);
}
