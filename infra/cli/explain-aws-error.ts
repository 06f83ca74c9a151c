import { userIdKeyAlias } from '../../shared/identity/kms-user-id-key.ts';

/**
 * @param tableName the table of the command; without it, only a missing region and missing credentials are explained
 * @returns an error whose message says what to do about a missing region, missing credentials, or a table or user-id key that does not exist; any
 * other error unchanged
 */
export function explainAwsError(error: unknown, tableName?: string): unknown {
  if (!(error instanceof Error)) return error;
  const advice = adviceFor(error, tableName);
  return advice === undefined ? error : new Error(advice, { cause: error });
}

function adviceFor({ name, message }: Error, tableName: string | undefined): string | undefined {
  if (message === 'Region is missing') {
    return 'the AWS region is missing: add --region, set AWS_REGION, or use a profile that has a region (--profile, AWS_PROFILE)';
  }
  if (name === 'CredentialsProviderError') {
    return `there are no AWS credentials: set AWS_PROFILE, add --profile, or sign in with the AWS command line (${message})`;
  }
  if (name === 'ResourceNotFoundException' && tableName !== undefined) {
    return `there is no table ${tableName} in this account and region; use the name in the stack's output TableName`;
  }
  if (name === 'NotFoundException' && tableName !== undefined && message.includes(userIdKeyAlias(tableName))) {
    return `there is no user-id key for the table ${tableName} in this account and region: the stack creates it as ${userIdKeyAlias(tableName)}`;
  }
  return undefined;
}
