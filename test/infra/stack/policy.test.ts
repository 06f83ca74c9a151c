import { describe, expect, test } from 'vitest';
import { isAllowed, type Policy, policyOf } from './support/policy.ts';

/** @returns the policy of a function whose policy has one statement: to scan the partitions USER#*, except for what `members` replace */
function policyWith(members: Readonly<Record<string, unknown>>): Policy {
  const statement = {
    Effect: 'Allow',
    Action: 'dynamodb:Scan',
    Resource: { 'Fn::GetAtt': ['Table01234567', 'Arn'] },
    Condition: onlyUsers,
    ...members,
  };
  const Properties = {
    Roles: [{ Ref: 'ReaderRole01234567' }],
    PolicyDocument: { Version: '2012-10-17', Statement: [statement] },
  };
  return policyOf({ Resources: { Policy: { Type: 'AWS::IAM::Policy', DependsOn: [], Properties } } }, 'Reader');
}

const onlyUsers = { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['USER#*'] } };
const withKeys = { Null: { 'dynamodb:LeadingKeys': 'false' } };

describe('a policy that limits partition keys', () => {
  test('allows a call without keys, unless it also requires a key', () => {
    expect(isAllowed(policyWith({}), 'dynamodb:Scan', [])).toBe(true);
    expect(isAllowed(policyWith({ Condition: { ...onlyUsers, ...withKeys } }), 'dynamodb:Scan', [])).toBe(false);
  });

  test('allows only its actions, and these only if every key matches', () => {
    const policy = policyWith({ Condition: { ...onlyUsers, ...withKeys } });
    expect(isAllowed(policy, 'dynamodb:Scan', ['USER#1', 'USER#2'])).toBe(true);
    expect(isAllowed(policy, 'dynamodb:Scan', ['USER#1', 'KEY#2'])).toBe(false);
    expect(isAllowed(policy, 'dynamodb:Query', ['USER#1'])).toBe(false);
  });
});

describe('a policy that is not modelled is rejected rather than misread', () => {
  test.each([
    { Action: 'dynamodb:*' },
    { Action: ['dynamodb:Get*'] },
    { Action: '*' },
    { Action: undefined, NotAction: 'dynamodb:Scan' },
    { Effect: 'Deny' },
    { Principal: '*' },
    { Condition: { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['USER#?'] } } },
    { Condition: { ...onlyUsers, 'ForAnyValue:StringLike': { 'dynamodb:LeadingKeys': ['USER#*'] } } },
    { Condition: { ...onlyUsers, Null: { 'dynamodb:LeadingKeys': 'true' } } },
    { Condition: { StringLike: { 'aws:PrincipalArn': '*' } } },
  ])('%j', (members) => {
    expect(() => policyWith(members)).toThrow();
  });

  test.each(['*', 'Table.Arn/index/*'])('a statement about the resource %j', (Resource) => {
    expect(() => isAllowed(policyWith({ Resource }), 'dynamodb:Scan', [])).toThrow('is allowed on');
  });
});
