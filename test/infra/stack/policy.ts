import * as z from 'zod';
import { policyDocumentsOf, resourcesOf, shorten, type Template, withoutHash } from './synthesized.ts';

const oneOrMore = <T extends z.ZodType<string>>(member: T) =>
  z.union([member.transform((given) => [given]), z.array(member)]);
const leadingKeys = <T extends z.ZodType>(value: T) => z.strictObject({ 'dynamodb:LeadingKeys': value }).optional();

const Statement = z.strictObject({
  Sid: z.string().optional(),
  Effect: z.literal('Allow'),
  Action: oneOrMore(z.string().regex(/^\w+:\w+$/)),
  Resource: oneOrMore(z.string()),
  Condition: z
    .strictObject({
      'ForAllValues:StringLike': leadingKeys(z.array(z.string().regex(/^[^?$]*$/))),
      Null: leadingKeys(z.literal('false')),
      StringEquals: z.strictObject({ 'kms:SigningAlgorithm': z.string() }).optional(),
    })
    .optional(),
});
const Policy = z.strictObject({ Version: z.literal('2012-10-17'), Statement: z.array(Statement) });

/**
 * The statements of a function's policy. Modelled are allowed actions without wildcards, and these conditions: `ForAllValues:StringLike` (with `*`
 * only) and `Null` on `dynamodb:LeadingKeys`, and `StringEquals` on `kms:SigningAlgorithm`.
 */
export type Policy = z.output<typeof Policy>;

/**
 * @param functionId the construct id of a function with those of its parents, such as `IngestionIngestFolder`
 * @throws Error if the policy contains anything that is not modelled
 */
export function policyOf(template: Template, functionId: string): Policy {
  const documents = policyDocumentsOf(template, functionId);
  if (documents.length !== 1) throw new Error(`${functionId} has ${documents.length} policies instead of one`);
  return Policy.parse(documents[0]);
}

/**
 * @returns whether IAM would allow a call to the table
 * @param action such as `dynamodb:Query`
 * @param partitions the partition keys in the call
 * @throws Error if a statement allows the action on anything but exactly the table, since resources are not modelled
 */
export function isAllowed(policy: Policy, action: string, partitions: readonly string[]): boolean {
  return policy.Statement.filter(({ Action }) => Action.includes(action)).some(({ Resource, Condition = {} }) => {
    if (Resource.join() !== 'Table.Arn') throw new Error(`${action} is allowed on ${Resource.join()}`);
    if (Condition.StringEquals !== undefined) return false; // a call to the table has no signing algorithm
    if (Condition.Null !== undefined && partitions.length === 0) return false;
    const patterns = Condition['ForAllValues:StringLike']?.['dynamodb:LeadingKeys'];
    return patterns === undefined || partitions.every((key) => patterns.some((pattern) => isLike(key, pattern)));
  });
}

/**
 * @returns the permissions that functions of the first stack use and those of the second no longer have, as `function: action on resource`. Those that
 * a function can do without are left out: traces, and keys whose tokens it accepts but with which it does not sign.
 */
export function lostPermissions(before: Template, after: Template): string[] {
  const kept = new Set([...resourcesOf(after, 'AWS::Lambda::Function').keys()].map(withoutHash));
  return [...resourcesOf(before, 'AWS::Lambda::Function')].flatMap(([logicalId, { Properties }]) => {
    const id = withoutHash(logicalId);
    if (!kept.has(id)) return [];
    const granted = policyOf(after, id).Statement;
    const [, ...accepted] = String(Object(shorten(Properties.Environment)).Variables.JWT_KEY_IDS ?? '').split(',');
    const dispensable = new Set(accepted.map((key) => `${key}.Arn`));
    return policyOf(before, id).Statement.flatMap(({ Action, Resource, Condition }) =>
      Action.flatMap((action) =>
        Resource.filter(
          (resource) =>
            !dispensable.has(resource) &&
            !granted.some(
              (other) =>
                other.Action.includes(action) &&
                other.Resource.includes(resource) &&
                isAtLeastAsWide(other.Condition, Condition),
            ),
        ).map((resource) => `${id}: ${action} on ${resource}`),
      ),
    );
  });
}

type Condition = Policy['Statement'][number]['Condition'];

function isAtLeastAsWide(wide: Condition, narrow: Condition): boolean {
  const patternsOf = (condition: Condition) => condition?.['ForAllValues:StringLike']?.['dynamodb:LeadingKeys'] ?? [];
  const othersOf = (condition: Condition) => JSON.stringify({ ...condition, 'ForAllValues:StringLike': undefined });
  const patterns = new Set(patternsOf(wide));
  return othersOf(wide) === othersOf(narrow) && patternsOf(narrow).every((pattern) => patterns.has(pattern));
}

/** IAM's StringLike, in which `*` matches any text. */
function isLike(text: string, pattern: string): boolean {
  const parts = pattern.split('*').map((part) => part.replaceAll(/[\\^$.|?+()[\]{}]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`, 's').test(text);
}
