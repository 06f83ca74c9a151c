/**
 * What the AWS SDK says where an owner has not told whose AWS is meant, or not that of the table, in words that say what to do.
 * @returns any other error as it is
 */
export function explainAwsError(error: unknown, tableName?: string): unknown {
  if (!(error instanceof Error)) return error;
  const advice = adviceFor(error, tableName);
  return advice === undefined ? error : new Error(advice, { cause: error });
}

function adviceFor({ name, message }: Error, tableName: string | undefined): string | undefined {
  if (message === 'Region is missing') {
    return 'it is not said in which AWS region: add --region, set AWS_REGION, or take a profile that has one (--profile, AWS_PROFILE)';
  }
  if (name === 'CredentialsProviderError') {
    return `there are no AWS credentials: set AWS_PROFILE, add --profile, or sign in as for the AWS command line (${message})`;
  }
  if (name === 'ResourceNotFoundException' && tableName !== undefined) {
    return `there is no table ${tableName} in this account and region: the output TableName of the stack names it`;
  }
  return undefined;
}
