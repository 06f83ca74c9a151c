import { expect, test } from 'vitest';
import { explainAwsError } from '../../../infra/cli/explain-aws-error.ts';

const named = (name: string, message: string) => Object.assign(new Error(message), { name });
const NO_ALIAS = named(
  'NotFoundException',
  'Alias arn:aws:kms:eu-west-1:111122223333:alias/ads-user-ids is not found.',
);
const NO_TABLE = named('ResourceNotFoundException', 'Requested resource not found');

test.each([
  [new Error('Region is missing'), 'the AWS region is missing: add --region, '],
  [named('CredentialsProviderError', 'no profile'), 'there are no AWS credentials: set AWS_PROFILE, '],
  [NO_TABLE, 'there is no table ads in this account and region; '],
  [NO_ALIAS, 'there is no user-id key for the table ads in this account and region: '],
])('%s is explained by what to do', (error, advice) => {
  const explained = explainAwsError(error, 'ads');
  expect(explained).toMatchObject({ message: expect.stringContaining(advice), cause: error });
});

test('other errors stay as they are', () => {
  for (const error of [named('NotFoundException', 'Key alias/other-user-ids is not found'), new Error('x'), 'text'])
    expect(explainAwsError(error, 'ads')).toBe(error);
  for (const error of [NO_TABLE, NO_ALIAS]) expect(explainAwsError(error)).toBe(error); // no table is named
});
