import { userIdKeyAlias } from '../../shared/identity/kms-user-id-key.ts';
import { isUnreachable } from '../../shared/store/table/store-errors.ts';

/**
 * @param tableName the table of the command; without it, only a missing region and missing credentials are explained
 * @returns an error whose message says what to do about a missing region, missing credentials, a service that does not respond, or a table or user-id key that does not exist; any
 * other error unchanged
 */
export function explainAwsError(error: unknown, tableName?: string): unknown {
  if (!(error instanceof Error)) return error;
  const advice = adviceFor(error, tableName);
  return advice === undefined ? error : new Error(advice, { cause: error });
}

function adviceFor(error: Error, tableName: string | undefined): string | undefined {
  const { name, message, cause } = error;
  const unreachable = [error, cause].find((each) => each instanceof Error && isUnreachable(each));
  if (unreachable instanceof Error) {
    const { AWS_ENDPOINT_URL, AWS_ENDPOINT_URL_DYNAMODB, AWS_REGION } = process.env;
    const ofTable = tableName === undefined ? undefined : AWS_ENDPOINT_URL_DYNAMODB;
    const where = ofTable ?? AWS_ENDPOINT_URL ?? `its endpoint in ${AWS_REGION ?? 'the region of the profile'}`;
    return `AWS does not respond at ${where} (${unreachable.message}): see whether this machine reaches it, also through HTTPS_PROXY`;
  }
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
